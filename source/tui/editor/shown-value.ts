import {valueIn} from '../../core/json-path.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {typedText} from '../../nouns/field-kinds.ts';
import {clip} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {filterLine, listMembers} from './list-setting.ts';
import {settingOf} from './settings.ts';

const changeCells = 28;

/** The settings that differ between two definitions, `  deliver to: log → forge_comment`; long values are cut around their first difference. */
export const changesBetween = (
	fields: readonly RouteField[],
	before: JsonObject,
	after: JsonObject,
): readonly Safe[] =>
	fields
		.filter(({path, inMapping}) => path.length > 0 && inMapping !== true)
		.flatMap(field => {
			const [old = '', now = ''] = [before, after].map(definition =>
				wholeValue(field, valueIn(definition, field.path)),
			);
			if (old === now) {
				return [];
			}

			let same = 0;
			while (same < old.length && old[same] === now[same]) {
				same += 1;
			}

			const from = Math.max(0, same - changeCells / 2);
			const cut = (text: string) =>
				clip(escapeLine(`${from > 0 ? '…' : ''}${text.slice(from)}`), changeCells);
			return [safe`  ${escapeLine(settingOf(field).label)}: ${cut(old)} → ${cut(now)}`];
		});

/** A value for comparison: whole texts; of a secret only whether it is set. */
function wholeValue(field: RouteField, value: JsonValue | undefined): string {
	if (field.path[0] === 'filters' && value !== undefined) {
		return listMembers(value).map(filterLine).join('; ');
	}

	return typeof value === 'string' && field.secret !== true ? value : shownValue(field, value);
}

/** A value in one row. */
export function shownValue(field: RouteField, value: JsonValue | undefined): Safe {
	if (value === undefined || value === null) {
		const standard = settingOf(field).unset ?? field.default;
		return standard === undefined || standard === '' || isEmpty(standard)
			? literal('-')
			: safe`- (${escapeLine(plain(standard))})`;
	}

	// A mapping is typed in lines; here they are joined to one row.
	const isMapping = field.kind === 'mapping' && isJsonObject(value);
	return escapeLine(
		field.secret === true
			? secretText(value)
			: isMapping
				? typedText({kind: field.kind, masked: false}, value).replaceAll('\n', ', ')
				: plain(value),
	);
}

const isEmpty = (value: JsonValue): boolean =>
	typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const plain = (value: JsonValue): string => {
	if (typeof value === 'string') {
		return value;
	}

	// An empty list differs from an absent setting: a route with `toolsets: []` has no tools, one without the setting has all.
	return Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'string')
		? value.join(', ')
		: JSON.stringify(value);
};

/** Placeholder for a secret that the gateway will generate. */
export const toMake = '<make a new secret>';

const kept = /^<kept: [^,<>\s]+, (\d+) bytes>$/;

/** Says whether a secret is set, never its value, not even of one typed here. */
function secretText(value: JsonValue): string {
	return Array.isArray(value)
		? `${value.length}: ${value.map(item => (isJsonObject(item) ? '✓ set' : oneSecret(item))).join('; ')}`
		: oneSecret(value);
}

function oneSecret(text: JsonValue): string {
	if (typeof text !== 'string') {
		return 'set';
	}

	const [, bytes] = kept.exec(text) ?? [];
	if (bytes !== undefined) {
		return `✓ set, ${bytes} bytes`;
	}

	if (text === toMake) {
		return 'a new one is made when it is saved';
	}

	return /^\$\{[^{}]*\}$/.test(text) || text === 'INSECURE_NO_AUTH' || text === ''
		? JSON.stringify(text)
		: 'new, set here';
}
