import type {JsonObject, JsonValue} from '../../core/json.ts';
import type {PublicModel} from '../http/public-model.ts';
import {missing, type FieldCheck} from '../shapes/field-checks.ts';

/** A field of a request. Absent and `null` are the same; what is in no field of its list is ignored. */
export type RequestField = {
	readonly required?: true;
	readonly check: FieldCheck;
	/** A relay goes by it. */
	readonly relay?: true;
	/** What an agent makes of it: it goes by it, or takes certain values alone. Absent: it is ignored, and the answer says so. */
	readonly agent?: 'used' | FieldCheck;
};

/** All that a request may say, by name. The order is that in which it is judged. */
export type RequestFields = ReadonlyMap<string, RequestField>;

const maxIgnored = 20;

/** What may stand in a header. */
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

/** @throws ApiError 400 for what an agent cannot be asked */
export function checkForAgent(body: JsonObject, fields: RequestFields): void {
	for (const [name, {agent}] of fields) {
		const value = body[name];
		if (typeof agent === 'function' && isSaid(value)) {
			agent(value, name);
		}
	}
}

/** Names of fields that are ignored, as a header may have them: at most 20. @param others beside the fields */
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
