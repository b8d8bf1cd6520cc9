import {posix} from 'node:path';
import type {ToolApproval} from '../approval.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../json.ts';
import {escapeLine} from '../untrusted.ts';

/** Longest value that is suggested. */
const maxValueLength = 200;

/**
 * The lines of `config.yaml` that let calls like this one pass from now on, for what no face may make a rule for: a call of a run that a stranger's event started.
 * `when` as it was asked for; else the folder of the first argument that is a path, or the first argument as it is. `undefined` where no such rule can be: the call is of no route, or without a sandbox.
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

/** JSON is YAML, too, and what is escaped there is shown as it stands; a plain word is easier to read without quotation marks. */
const inYaml = (value: JsonValue): string =>
	typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value) && !words.has(value)
		? value
		: JSON.stringify(value).replaceAll(
				/[^ -~]/g,
				unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
			);

/** What YAML takes for something else than text. */
const words: ReadonlySet<string> = new Set(
	['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null'].flatMap(word => [
		word,
		word.toUpperCase(),
		`${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
	]),
);

/** The path that an argument names, or the first of a list. */
export const pathIn = (value: JsonValue | undefined): string | undefined => {
	const first: JsonValue | undefined = Array.isArray(value) ? value[0] : value;
	return typeof first === 'string' && /^\/[^/]/.test(first) ? first : undefined;
};

/** The folder that a path stands in, as a rule has it: `/home/alice/notes/`; `undefined` for what lies in the root. */
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
