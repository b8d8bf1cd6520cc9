import type {JsonObject, JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {TargetWords} from './target-kind.ts';

const maxTextLength = 5000;

const maxShownLength = 200;

/** A checked value of a rendered target, or what is wrong with it. */
export type Checked<Value> =
	| {readonly ok: true; readonly value: Value}
	| {
			readonly ok: false;
			readonly code: 'target_incomplete' | 'target_invalid';
			readonly problem: string;
	  };

const problemAs =
	<const Code extends 'target_incomplete' | 'target_invalid'>(code: Code) =>
	(problem: string) =>
		({ok: false, code, problem}) as const;

/** The result for a missing required key; `problem` is a sentence that begins with the key. */
export const incompleteTarget = problemAs('target_incomplete');

/** The result for an invalid key. */
export const invalidTarget = problemAs('target_invalid');

/** Combines the values of several keys; if any is invalid, the first problem. */
export function allOf<Values extends object>(keys: {
	readonly [Key in keyof Values]: Checked<Values[Key]>;
}): Checked<Values> {
	const values: Array<readonly [string, unknown]> = [];
	for (const [name, key] of Object.entries<Checked<unknown>>(keys)) {
		if (!key.ok) {
			return key;
		}

		values.push([name, key.value]);
	}

	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each of its keys was checked
	return {ok: true, value: Object.fromEntries(values) as Values};
}

/** A value of the rendered `deliver_extra`; members that every object inherits do not count. */
export const extraValue = (extra: JsonObject, key: string): JsonValue | undefined =>
	Object.hasOwn(extra, key) ? extra[key] : undefined;

/** The text of a required key: trimmed, not empty, without unfilled templates, at most 5,000 characters. Numbers are converted. */
export function requiredText(extra: JsonObject, key: string): Checked<string> {
	const value = extraValue(extra, key);
	if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
		return invalidTarget(
			`deliver_extra.${key} is a number that is too large to be exact: write it in quotes`,
		);
	}

	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string' || text.trim() === '') {
		return incompleteTarget(`deliver_extra.${key} is missing`);
	}

	const template = /\{[^{}\s]{1,200}\}/.exec(text)?.[0];
	if (template !== undefined) {
		return incompleteTarget(
			`deliver_extra.${key} has "${escapeLine(template, 80)}", which the event did not fill in`,
		);
	}

	return text.length > maxTextLength
		? invalidTarget(`deliver_extra.${key} is too long`)
		: {ok: true, value: text.trim()};
}

/** The value of a key for a person: cleaned, at most 200 characters; `?` for anything but a text or a number. */
export function shownKey(extra: JsonObject, key: string): string {
	const value = extraValue(extra, key);
	return typeof value === 'string' || typeof value === 'number'
		? escapeLine(String(value), maxShownLength)
		: '?';
}

/** Whether `deliver_extra` has a value other than `null` for the key. */
export const isGiven = (extra: JsonObject, key: string): boolean =>
	(extraValue(extra, key) ?? null) !== null;

const meanings: ReadonlyMap<JsonValue, boolean> = new Map<JsonValue, boolean>([
	[true, true],
	['true', true],
	[false, false],
	['false', false],
]);

/** Reads `deliver_extra.sticky`; also as a text, since the command line can only write texts. */
export function stickyOf(extra: JsonObject): Checked<boolean> {
	const value = extraValue(extra, 'sticky') ?? false;
	const known = meanings.get(value);
	const shown = typeof value === 'string' ? value : JSON.stringify(value);
	return known === undefined
		? invalidTarget(`deliver_extra.sticky is "${escapeLine(shown, 80)}" and must be true or false`)
		: {ok: true, value: known};
}

/** Descriptions of messages on a platform. */
export const platformWords = (kind: string): TargetWords => {
	const chatOf = (extra: JsonObject, home: string) =>
		`${kind} ${isGiven(extra, 'chat_id') ? shownKey(extra, 'chat_id') : home}`;
	return {
		place: extra => chatOf(extra, '(home channel)'),
		effect: extra => `sends a message to ${chatOf(extra, 'home channel')}`,
	};
};
