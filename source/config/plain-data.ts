import {isJsonObject, type JsonValue} from '../core/json.ts';

const maxDepth = 64;

/** One step down into a value: a key, or the index of a list. */
export type KeyPath = ReadonlyArray<string | number>;

/** A value that no configuration can hold, and its path. */
export type DataProblem = {readonly path: KeyPath; readonly message: string};

/** `value` as plain data, or the first problem of `problemsWithData`. */
export function asPlainData(
	value: unknown,
): {readonly ok: true; readonly value: JsonValue} | ({readonly ok: false} & DataProblem) {
	const [problem] = problemsWithData(value);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsers make lists, objects and primitives; the rest was just refused
	return problem ? {ok: false, ...problem} : {ok: true, value: value as JsonValue};
}

/** The value at `path` of plain data, through own members only; `undefined` if it is missing or `value` is not plain data. */
export function plainAt(value: unknown, path: KeyPath): unknown {
	const data = asPlainData(value);
	return data.ok ? valueAt(data.value, path) : undefined;
}

/**
 * Why parts of `value` (the output of a YAML or JSON parser) cannot be used as configuration: a value that contains itself through an alias, nesting deeper than 64 levels,
 * a number that is not finite, a key `__proto__` or `<<`. Does not look below such a part, and does not recurse: nesting cannot exhaust the stack.
 */
export function problemsWithData(value: unknown): readonly DataProblem[] {
	const problems: DataProblem[] = [];
	const open: Place[] = [{value, path: [], within: undefined}];
	for (let next = open.pop(); next; next = open.pop()) {
		const {path} = next;
		const message = isInItself(next) ? 'refers to itself' : problemWithOne(next.value, path);
		if (message === undefined) {
			for (const [key, member] of membersOf(next.value)) {
				open.push({value: member, path: [...path, key], within: next});
			}
		} else {
			problems.push({path, message});
		}
	}

	return problems;
}

type Place = {
	readonly value: unknown;
	readonly path: KeyPath;
	readonly within: Place | undefined;
};

/** Whether a list or an object contains itself: walking it would never end. */
function isInItself({value, within}: Place): boolean {
	if (typeof value !== 'object' || value === null) {
		return false;
	}

	for (let place = within; place; place = place.within) {
		if (place.value === value) {
			return true;
		}
	}

	return false;
}

function problemWithOne(value: unknown, path: KeyPath): string | undefined {
	if (path.length > maxDepth) {
		return `is nested deeper than ${maxDepth} levels`;
	}

	if (path.at(-1) === '__proto__') {
		return 'is not allowed as a key';
	}

	if (path.at(-1) === '<<') {
		return 'is a merge key, which is not read: write the keys out';
	}

	return typeof value === 'number' && !Number.isFinite(value)
		? 'must be a finite number'
		: undefined;
}

/** The members of a list or an object with their keys; none for other values. */
export function membersOf(value: unknown): Array<readonly [string | number, unknown]> {
	if (Array.isArray(value)) {
		return value.map((member: unknown, index) => [index, member]);
	}

	return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** The value at `path`, through own members only; `undefined` when there is none. */
export function valueAt(value: unknown, path: KeyPath): unknown {
	let current = value;
	for (const key of path) {
		if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) {
			return undefined;
		}

		current = Reflect.get(current, key);
	}

	return current;
}

/** A copy of `value` with `change` applied to every text. `value` must have passed `problemsWithData`. */
export function mapTexts(
	value: JsonValue,
	change: (text: string, path: KeyPath) => string,
	path: KeyPath = [],
): JsonValue {
	if (typeof value === 'string') {
		return change(value, path);
	}

	if (Array.isArray(value)) {
		return value.map((member: JsonValue, index) => mapTexts(member, change, [...path, index]));
	}

	return isJsonObject(value)
		? Object.fromEntries(
				Object.entries(value).map(([key, member]) => [
					key,
					mapTexts(member, change, [...path, key]),
				]),
			)
		: value;
}
