import {posix} from 'node:path';
import type {RuleKey, ToolApproval} from '../approval.ts';
import {
	canonicalJson,
	escapedUnits,
	isJsonObject,
	type JsonObject,
	type JsonValue,
} from '../json.ts';
import {quotedName} from '../names.ts';
import type {AskedTool} from '../tool.ts';
import {escapeLine} from '../untrusted.ts';
import {folderOf, isBelowFolder, isWrittenAsFolder, realPathOf} from './below-folder.ts';

/** Most arguments that a rule compares. */
export const maxRuleKeys = 20;

const maxKeyLength = 200;

/** Most paths in one call; a call with more needs a person's approval. */
const maxPaths = 100;

/** A key of a rule as written, before the real path of its folder is known. */
export type WrittenKey = Omit<RuleKey, 'real'>;

/** Parses `when`, such as `{path: '~/notes/'}`; `problem`: the rest of a sentence that begins with the key. */
export function writtenKeys(
	when: JsonObject,
	userHome: string,
): {readonly keys: readonly WrittenKey[]} | {readonly key: string; readonly problem: string} {
	const keys: WrittenKey[] = [];
	for (const [key, value] of Object.entries(when)) {
		const read = readKey(key, value, userHome);
		if ('problem' in read) {
			return {key, ...read};
		}

		keys.push(read);
	}

	return keys.length === 0 || keys.length > maxRuleKeys
		? {key: '', problem: `must name 1 to ${maxRuleKeys} arguments`}
		: {keys: keys.toSorted((one, other) => (one.key < other.key ? -1 : 1))};
}

function readKey(
	key: string,
	value: JsonValue,
	userHome: string,
): WrittenKey | {readonly problem: string} {
	if (key.length > maxKeyLength || key.split('.').includes('') || key.includes('*')) {
		return {problem: 'is not the dotted path of an argument: a pattern is none'};
	}

	if (typeof value !== 'string' || !isWrittenAsFolder(value)) {
		return {key, equals: value};
	}

	const read = folderOf(value, userHome);
	return 'problem' in read ? read : {key, below: read.folder};
}

/** Adds the real paths of their folders to the keys. `unclear`: a folder whose real path cannot be determined. */
export async function resolvedKeys(
	keys: readonly WrittenKey[],
): Promise<{readonly keys: readonly RuleKey[]} | {readonly unclear: string}> {
	const resolved = await Promise.all(
		keys.map(async (key): Promise<RuleKey | string> => {
			const real = key.below === undefined ? undefined : await realPathOf(key.below);
			return key.below !== undefined && real === undefined
				? key.below
				: {...key, ...(real !== undefined && {real})};
		}),
	);
	const unclear = resolved.find(one => typeof one === 'string');
	return unclear === undefined
		? {keys: resolved.filter(one => typeof one !== 'string')}
		: {unclear};
}

/** Whether the arguments of a call match the keys of a rule. Paths in the folders `closed` never match. */
export async function areAsKeysSay(
	keys: readonly RuleKey[],
	{tool, args}: {readonly tool: Pick<AskedTool, 'inputSchema'>; readonly args: JsonValue},
	closed: readonly string[],
): Promise<boolean> {
	if (!hasOnlyNamed(args, tool)) {
		return false;
	}

	const verdicts = await Promise.all(keys.map(async key => isAsKeySays(key, args, closed)));
	return verdicts.every(Boolean);
}

async function isAsKeySays(
	{key, equals, below, real}: RuleKey,
	args: JsonValue,
	closed: readonly string[],
): Promise<boolean> {
	const values = valuesAt(args, key.split('.'));
	if (!values) {
		return false;
	}

	if (below === undefined || real === undefined) {
		return equals !== undefined && values.every(value => isSame(value, equals));
	}

	const paths = values.flat();
	if (paths.length === 0 || paths.length > maxPaths || !values.every(isFilled)) {
		return false;
	}

	const verdicts = await Promise.all(
		paths.map(
			async path => typeof path === 'string' && (await isBelowFolder(path, {below, real}, closed)),
		),
	);
	return verdicts.every(Boolean);
}

const isFilled = (value: JsonValue): boolean => !Array.isArray(value) || value.length > 0;

/** Whether two values are the same as JSON. */
export const isSame = (one: JsonValue, other: JsonValue): boolean =>
	canonicalJson(one) === canonicalJson(other);

/** The values at a path, one for each element of lists on it; `undefined` when any of them is missing. Own members only. */
export function valuesAt(
	value: JsonValue,
	[step, ...rest]: readonly string[],
): readonly JsonValue[] | undefined {
	if (step === undefined) {
		return [value];
	}

	if (Array.isArray(value)) {
		const inside = value.map((item: JsonValue) => valuesAt(item, [step, ...rest]));
		return inside.length > 0 && inside.length <= maxPaths && inside.every(one => one !== undefined)
			? inside.flat()
			: undefined;
	}

	return isJsonObject(value) && Object.hasOwn(value, step)
		? valuesAt(value[step] ?? null, rest)
		: undefined;
}

/** The arguments named in the schema of a tool; `undefined` when it is too large or names none. */
export function namedArguments({
	inputSchema,
}: Pick<AskedTool, 'inputSchema'>): readonly string[] | undefined {
	const properties = isJsonObject(inputSchema) ? inputSchema['properties'] : undefined;
	return isJsonObject(properties) ? Object.keys(properties) : undefined;
}

/** Whether a call has only arguments that the schema names. A server may accept others, but a person must approve such a call. */
function hasOnlyNamed(args: JsonValue, tool: Pick<AskedTool, 'inputSchema'>): boolean {
	const named = new Set(namedArguments(tool));
	return isJsonObject(args) && Object.keys(args).every(key => named.has(key));
}

/** The first key of a rule that is not in the schema of its tool. */
export const unnamedKey = (
	keys: readonly RuleKey[],
	tool: Pick<AskedTool, 'inputSchema'>,
): string | undefined => {
	const named = new Set(namedArguments(tool));
	return keys.find(({key}) => !named.has(key.split('.')[0] ?? ''))?.key;
};

const maxShown = 120;

/** `path below /home/alice/notes/, mode = "append"`; cleaned. */
export const keysText = (keys: ReadonlyArray<WrittenKey>): string =>
	keys
		.map(({key, equals, below}) =>
			below === undefined
				? `${quotedName(key)} = ${escapeLine(JSON.stringify(equals), maxShown)}`
				: `${quotedName(key)} below ${escapeLine(`${below}/`, maxShown * 10)}`,
		)
		.join(', ');

/** `other arguments may be anything: content, mode`, or a sentence that there are none; cleaned. */
export function freeText(
	{args, tool}: {readonly args: JsonValue; readonly tool: Pick<AskedTool, 'inputSchema'>},
	keys: readonly string[],
): string {
	const bound = new Set(keys.map(key => key.split('.')[0]));
	const names = [...(namedArguments(tool) ?? []), ...(isJsonObject(args) ? Object.keys(args) : [])];
	const free = [...new Set(names)].filter(name => !bound.has(name));
	return free.length === 0
		? 'it has no other arguments'
		: `other arguments may be anything: ${escapeLine(free.map(quotedName).join(', '), maxFreeLength)}`;
}

const maxFreeLength = 400;

/** Longest value that is suggested. */
const maxValueLength = 200;

/**
 * Lines for `config.yaml` that would allow calls like this one. Shown for runs of untrusted events, since faces cannot make lasting rules for these. `when`: by default the
 * folder of the first argument that is a path, else the first short argument. `undefined` if no such rule is possible: the run has no event of a route, or the tool runs
 * without a sandbox.
 */
export function linesByHand(
	{route, delivery, profile, tool, args}: ToolApproval,
	when: JsonObject = suggestedFor(args),
): readonly string[] | undefined {
	if (route === undefined || delivery === undefined || tool.why !== undefined) {
		return undefined;
	}

	const keys = Object.entries(when).map(([key, value]) => `${inYaml(key)}: ${inYaml(value)}`);
	return [
		'approvals:',
		'  allow:',
		`    - route: ${inYaml(route)}`,
		...(profile === 'default' ? [] : [`      profile: ${inYaml(profile)}`]),
		`      tool: ${inYaml(tool.name)}`,
		`      when: {${keys.join(', ')}}`,
		`      definition: ${tool.definition}`,
	].map(line => escapeLine(line, Infinity));
}

/** Writes a value as YAML: as JSON, which is valid YAML, with non-ASCII characters escaped; plain words without quotation marks. */
const inYaml = (value: JsonValue): string =>
	typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value) && !words.has(value)
		? value
		: JSON.stringify(value).replaceAll(/[^ -~]/g, escapedUnits);

/** Words that YAML parses as booleans or null. */
const words: ReadonlySet<string> = new Set(
	['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null'].flatMap(word => [
		word,
		word.toUpperCase(),
		`${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
	]),
);

/** The path in an argument, or in the first element of a list. */
export const pathIn = (value: JsonValue | undefined): string | undefined => {
	const first: JsonValue | undefined = Array.isArray(value) ? value[0] : value;
	return typeof first === 'string' && /^\/[^/]/.test(first) ? first : undefined;
};

/** The folder of a path, in the form of a rule: `/home/alice/notes/`; `undefined` for a path in the root. */
export function folderAround(path: string): string | undefined {
	const folder = posix.dirname(posix.normalize(path));
	return folder === '/' || folder.includes('..') ? undefined : `${folder}/`;
}

function suggestedFor(args: JsonValue): JsonObject {
	const all = isJsonObject(args) ? Object.entries(args) : [];
	const ofPath = all.find(([, value]) => pathIn(value) !== undefined);
	const folder = ofPath && folderAround(pathIn(ofPath[1]) ?? '');
	if (ofPath && folder !== undefined) {
		return {[ofPath[0]]: folder};
	}

	const short = all.filter(([, value]) => JSON.stringify(value).length <= maxValueLength);
	return Object.fromEntries(short.slice(0, 1));
}
