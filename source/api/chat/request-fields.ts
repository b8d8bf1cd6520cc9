import type {JsonObject, JsonValue} from '../../core/json.ts';
import type {PublicModel} from '../http/public-model.ts';
import {missing, type FieldCheck} from '../shapes/field-checks.ts';

/** A field of a request. `null` counts as absent; fields that are not in the list are ignored. */
export type RequestField = {
	readonly required?: true;
	readonly check: FieldCheck;
	/** Whether a relay passes it on. */
	readonly relay?: true;
	/** How an agent treats it: `used`, or a check for the values it accepts. Absent: ignored, which the answer reports. */
	readonly agent?: 'used' | FieldCheck;
};

/** The fields of a request by name, in the order in which they are checked. */
export type RequestFields = ReadonlyMap<string, RequestField>;

const maxIgnored = 20;

/** Names that may appear in a header. */
const plainName = /^[A-Za-z0-9_.-]{1,64}$/;

export const isSaid = (value: JsonValue | undefined): value is JsonValue =>
	value !== undefined && value !== null;

/** @throws ApiError 400 */
export function checkFields(body: JsonObject, fields: RequestFields): void {
	for (const [name, field] of fields) {
		const value = Object.hasOwn(body, name) ? body[name] : undefined;
		if (isSaid(value)) {
			field.check(value, name);
		} else if (field.required) {
			throw missing(name);
		}
	}

	if (body['model'] === '') {
		throw missing('model');
	}
}

/** @throws ApiError 400 for a value that an agent does not support */
export function checkForAgent(body: JsonObject, fields: RequestFields): void {
	for (const [name, {agent}] of fields) {
		const value = body[name];
		if (typeof agent === 'function' && isSaid(value)) {
			agent(value, name);
		}
	}
}

/** Names of ignored fields, safe for a header: at most 20. @param others further names */
export const ignoredNames = (
	body: JsonObject,
	{
		fields,
		model: {agent: isAgent},
		others = [],
	}: {
		readonly fields: RequestFields;
		readonly model: PublicModel;
		readonly others?: readonly string[];
	},
): readonly string[] => {
	const isIgnored = (name: string) => {
		const field = fields.get(name);
		return !field || (isAgent ? field.agent === undefined : !field.relay && !field.agent);
	};
	return [...Object.keys(body).filter(name => isSaid(body[name]) && isIgnored(name)), ...others]
		.filter(name => plainName.test(name))
		.slice(0, maxIgnored);
};
