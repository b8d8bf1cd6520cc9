import {isDeepStrictEqual} from 'node:util';
import {codeOf, messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {RouteDraft} from '../../core/route-editor.ts';
import {
	checkEntry,
	checkSubscription,
	pathBelow,
	isStaticName,
	problemWithNewName,
} from '../check-subscription.ts';
import type {Config, LoadedConfig} from '../config.ts';
import {editConfigText} from '../edit-config.ts';
import type {YamlEdit} from '../edit-yaml.ts';
import {formatDiagnostic} from '../format-diagnostic.ts';
import {generateSecret} from '../merge-subscription.ts';
import {asPlainData, type KeyPath} from '../plain-data.ts';
import type {Route, SkippedRoute} from '../route.ts';
import {parseYamlSource} from '../yaml-source.ts';
import {withKeptSecrets} from './kept-secrets.ts';
import {noEntry, pathInConfig, readWrittenRoute, type WrittenRoute} from './written-route.ts';

/** The context in which a draft is checked. */
export type DraftSurroundings = {
	/** The configuration in use. */
	readonly config: Config;
	/** Loads this text of `config.yaml` as a start would. */
	readonly load: (text: string) => LoadedConfig;
	/** The present day: `2026-11-20`. */
	readonly today: () => string;
	/** Why the job that an entry names cannot be fired; `undefined`: it can, or there is none. */
	readonly problemWithJob: (entry: JsonObject) => string | undefined;
};

export type DraftProblem = {readonly path: string; readonly message: string};

/** A checked draft. Contains secrets. */
export type JudgedDraft = {
	/** The entry as it would be written. */
	readonly entry: JsonObject;
	/** The secret generated for it. */
	readonly secret?: string;
	readonly problems: readonly DraftProblem[];
	readonly warnings: readonly string[];
	/** The warnings that concern a single setting. */
	readonly notes?: readonly DraftProblem[];
	/** The route to serve; absent if it would not be served. */
	readonly route?: Route;
};

/** Checks a draft by the rules that the receiver and the loader of the files apply, and by no others. */
export function judgeDraft(
	name: string,
	{draft, written}: {readonly draft: RouteDraft; readonly written: WrittenRoute},
	surroundings: DraftSurroundings,
): JudgedDraft {
	const data = asPlainData(draft.definition);
	if (!data.ok) {
		// The functions below recurse.
		return {
			entry: isJsonObject(written.entry) ? written.entry : {},
			problems: [{path: data.path.join('.'), message: data.message}],
			warnings: [],
		};
	}

	const {entry: whole, missing} = withKeptSecrets(draft.definition, written.entry);
	const given = isJsonObject(whole) ? whole : {};
	const isNew = draft.fingerprint === noEntry;
	const isNamed = isNew || written.name !== name;
	const {entry: made, ...secret} = withMadeSecret(given, isNew);
	const entry =
		draft.source === 'dynamic'
			? withDay(made, {before: written.entry, today: surroundings.today()})
			: made;
	const judged = {...secret, entry};
	if (missing.length > 0) {
		return {
			...judged,
			problems: missing.map(path => ({
				path: path.join('.'),
				message: 'keeps a secret that is not in the file: write it out',
			})),
			warnings: [],
		};
	}

	if (isNamed && isTaken(name, written, surroundings.config)) {
		const message = 'is the name of a route that exists: choose another';
		return {...judged, problems: [{path: '', message}], warnings: []};
	}

	const verdict =
		draft.source === 'static'
			? judgeStatic(name, {entry, written, isNamed}, surroundings)
			: judgeDynamic(name, {entry, isNamed}, surroundings);
	const job = isNew || draft.source === 'dynamic' ? surroundings.problemWithJob(entry) : undefined;
	return {
		...judged,
		...verdict,
		problems: [
			...verdict.problems,
			...(job === undefined ? [] : [{path: 'cron_job', message: job}]),
		],
		warnings: [
			...verdict.warnings,
			...(isNew || !isNamed ? [] : notesOnRename(written.name, name, surroundings.config)),
		],
	};
}

/** Placeholder in a draft for a secret to be generated when it is saved; never written to a file. */
const toMake = '<make a new secret>';

/** An entry with a generated secret, if it has the placeholder, or is new and has none. */
function withMadeSecret(entry: JsonObject, isNew: boolean): Pick<JudgedDraft, 'entry' | 'secret'> {
	const {secret: written} = entry;
	const secrets = [written ?? (isNew && written === undefined ? toMake : [])].flat();
	if (!secrets.includes(toMake)) {
		return {entry};
	}

	const secret = generateSecret();
	const all = [...new Set(secrets)].map(one => (one === toMake ? secret : one));
	return {entry: {...entry, secret: Array.isArray(written) ? all : secret}, secret};
}

/** A dynamic route with `rotated_on` set to today if its secret changed; without a secret of its own the key is removed. */
function withDay(
	entry: JsonObject,
	{before, today}: {readonly before: JsonValue | undefined; readonly today: string},
): JsonObject {
	const known = isJsonObject(before) ? before : {};
	const {secret, rotated_on: on} = entry;
	if (isDeepStrictEqual(secret, known['secret']) || on !== known['rotated_on']) {
		return entry;
	}

	const {rotated_on: _, ...rest} = entry;
	return secret === undefined ? rest : {...rest, rotated_on: today};
}

/** Whether another route has the name. Of two routes with one name only that of `config.yaml` is served: the new one would replace the other, or never be served. */
const isTaken = (
	name: string,
	{source, name: from, entry}: WrittenRoute,
	config: Config,
): boolean =>
	(from === name && entry !== undefined) ||
	isStaticName(name, config) ||
	readWrittenRoute(config.paths, name, 'dynamic').entry !== undefined ||
	(source === 'static' && readWrittenRoute(config.paths, name, source).entry !== undefined);

/** Warnings for a person before a route is renamed. */
const notesOnRename = (from: string, name: string, {approvalRules}: Config): readonly string[] => [
	`Its address ends in /webhooks/${name} then: tell its senders, for /webhooks/${from} is answered 404`,
	`Deliveries and runs of before keep the name "${from}", what waits goes on under it, and what came cannot be replayed`,
	...(approvalRules.some(({owner}) => owner.kind === 'route' && owner.name === from)
		? [`approvals.allow has rules for the route "${from}", which do not hold for "${name}"`]
		: []),
];

type Verdict = Pick<JudgedDraft, 'problems' | 'warnings' | 'notes' | 'route'>;

function judgeDynamic(
	name: string,
	{entry, isNamed}: {readonly entry: JsonObject; readonly isNamed: boolean},
	{config}: DraftSurroundings,
): Verdict {
	const {refusals, ...checked} = isNamed
		? checkSubscription(name, entry, config)
		: checkEntry(name, entry, config);
	return {
		...checked,
		problems: refusals.map(({reason, path}) => ({path, message: withoutName(name, reason, path)})),
	};
}

function judgeStatic(
	name: string,
	options: {readonly entry: JsonObject; readonly written: WrittenRoute; readonly isNamed: boolean},
	{load}: DraftSurroundings,
): Verdict {
	const {entry, written, isNamed} = options;
	const wrongName = isNamed ? problemWithNewName(name) : undefined;
	if (wrongName !== undefined) {
		return {problems: [{path: '', message: wrongName}], warnings: []};
	}

	const edited = editedConfig(name, entry, written);
	if (!edited.ok) {
		return {problems: [{path: '', message: edited.reason}], warnings: []};
	}

	const loaded = load(edited.text);
	if (!loaded.ok) {
		return {
			problems: loaded.problems.map(problem => ({path: '', message: formatDiagnostic(problem)})),
			warnings: [],
		};
	}

	const {webhook, problems} = loaded.config;
	const route = webhook.routes.get(name);
	const ofRoute = ({name: other}: SkippedRoute) => other === name;
	const place = `${edited.path.join('.')}.`;
	const notes = problems
		.filter(({severity, key}) => severity === 'warning' && key.startsWith(place))
		.map(({key, message}) => ({path: key.slice(place.length), message}));
	return {
		problems: [...webhook.refusals, ...webhook.invalid].filter(ofRoute).map(({reason, problem}) => {
			const path = problem.key.startsWith(place)
				? problem.key.slice(place.length)
				: pathBelow(name, problem);
			return {path, message: withoutName(name, reason, path)};
		}),
		warnings: [
			...webhook.skipped.filter(ofRoute).map(({reason}) => reason),
			...notes.map(({path, message}) => `${path}: ${message}`),
		],
		notes,
		...(route && {route}),
	};
}

/** The text of `config.yaml` with an edited entry, or why it cannot be edited. */
export function editedConfig(
	name: string,
	entry: JsonObject,
	{text, file, name: from, entry: before}: WrittenRoute,
):
	| {readonly ok: true; readonly text: string; readonly path: KeyPath; readonly from: KeyPath}
	| {readonly ok: false; readonly reason: string} {
	const place = pathInConfig(parseYamlSource(text).value, from);
	const path = [...place.slice(0, -1), name];
	const edits = [
		...editsBetween(place, isJsonObject(before) ? before : {}, entry),
		...(before === undefined ? [] : renamingOf(place, name)),
	];
	try {
		return {ok: true, text: editConfigText(text, edits, file), path, from: place};
	} catch (error) {
		if (codeOf(error) !== 'config_not_editable') {
			throw error;
		}

		return {ok: false, reason: messageOf(error)};
	}
}

/** The edit that renames the key at `path`; none if it has that name. */
export const renamingOf = (path: KeyPath, name: string): readonly YamlEdit[] =>
	path.at(-1) === name ? [] : [{path, rename: name}];

/** A reason without the name of the route and the path, which the form shows already. */
function withoutName(name: string, reason: string, path: string): string {
	for (const before of [`Route "${name}" cannot be used: ${path} `, `Route "${name}" `]) {
		if (reason.startsWith(before)) {
			return reason.slice(before.length);
		}
	}

	return reason;
}

/** The edits at `path` that turn `before` into `after`, as deep as possible, so that comments around unchanged parts stay. */
export const editsBetween = (
	path: KeyPath,
	before: JsonObject,
	after: JsonObject,
): readonly YamlEdit[] => [
	...Object.keys(before)
		.filter(key => !Object.hasOwn(after, key))
		.map(key => ({path: [...path, key]})),
	...Object.entries(after).flatMap(([key, value]) =>
		Object.hasOwn(before, key)
			? editsOf([...path, key], before[key] ?? null, value)
			: [{path: [...path, key], value}],
	),
];

function editsOf(path: KeyPath, before: JsonValue, after: JsonValue): readonly YamlEdit[] {
	if (isDeepStrictEqual(before, after)) {
		return [];
	}

	if (isJsonObject(before) && isJsonObject(after)) {
		return editsBetween(path, before, after);
	}

	if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
		return after.flatMap((value: JsonValue, index) =>
			editsOf([...path, index], before[index] ?? null, value),
		);
	}

	return [{path, value: after}];
}
