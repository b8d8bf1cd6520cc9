import {codeOf, messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import type {RouteDraft} from '../../core/route-editor.ts';
import {checkEntry, checkSubscription, pathBelow} from '../check-subscription.ts';
import type {Config, LoadedConfig} from '../config.ts';
import {editConfigText} from '../edit-config.ts';
import {formatDiagnostic} from '../format-diagnostic.ts';
import {generateSecret} from '../merge-subscription.ts';
import {asPlainData, type KeyPath} from '../plain-data.ts';
import type {Route, SkippedRoute} from '../route.ts';
import {parseYamlSource} from '../yaml-source.ts';
import {editsBetween} from './edits-between.ts';
import {withKeptSecrets} from './kept-secrets.ts';
import {noEntry, pathInConfig, type WrittenRoute} from './written-route.ts';

/** What a draft is judged in. */
export type Surroundings = {
	/** In use. */
	readonly config: Config;
	/** What a start would make of this text of `config.yaml`. */
	readonly load: (text: string) => LoadedConfig;
	/** Why the job that an entry names cannot be fired. */
	readonly problemWithJob: (entry: JsonObject) => string | undefined;
};

export type DraftProblem = {readonly path: string; readonly message: string};

/** A draft in its file. Holds secrets. */
export type JudgedDraft = {
	/** As it would be written. */
	readonly entry: JsonObject;
	/** Of a new route without a secret. */
	readonly secret?: string;
	readonly problems: readonly DraftProblem[];
	readonly warnings: readonly string[];
	/** What would be served; absent when it would not. */
	readonly route?: Route;
};

/** What would become of a draft: what the receiver and the loader of the files say of it, and nobody else. */
export function judgeDraft(
	name: string,
	{draft, written}: {readonly draft: RouteDraft; readonly written: WrittenRoute},
	surroundings: Surroundings,
): JudgedDraft {
	const data = asPlainData(draft.definition);
	if (!data.ok) {
		// What follows recurses.
		return {
			entry: isJsonObject(written.entry) ? written.entry : {},
			problems: [{path: data.path.join('.'), message: data.message}],
			warnings: [],
		};
	}

	const {entry: whole, missing} = withKeptSecrets(draft.definition, written.entry);
	const given = isJsonObject(whole) ? whole : {};
	const isNew = draft.fingerprint === noEntry;
	const secret = isNew && !Object.hasOwn(given, 'secret') ? generateSecret() : undefined;
	const entry = secret === undefined ? given : {...given, secret};
	const judged = {
		entry,
		...(secret !== undefined && {secret}),
	};
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

	const verdict =
		draft.source === 'static'
			? judgeStatic(name, {entry, written}, surroundings)
			: judgeDynamic(name, {entry, isNew}, surroundings);
	const job = isNew || draft.source === 'dynamic' ? surroundings.problemWithJob(entry) : undefined;
	return {
		...judged,
		...verdict,
		problems: [
			...(isNew && written.entry !== undefined
				? [{path: '', message: 'is the name of a route that exists: choose another'}]
				: []),
			...verdict.problems,
			...(job === undefined ? [] : [{path: 'cron_job', message: job}]),
		],
	};
}

type Verdict = Pick<JudgedDraft, 'problems' | 'warnings' | 'route'>;

function judgeDynamic(
	name: string,
	{entry, isNew}: {readonly entry: JsonObject; readonly isNew: boolean},
	{config}: Surroundings,
): Verdict {
	const {refusals, warnings, route} = isNew
		? checkSubscription(name, entry, config)
		: checkEntry(name, entry, config);
	return {
		problems: refusals.map(({reason, path}) => ({path, message: withoutName(name, reason, path)})),
		warnings,
		...(route && {route}),
	};
}

function judgeStatic(
	name: string,
	{entry, written}: {readonly entry: JsonObject; readonly written: WrittenRoute},
	{load}: Surroundings,
): Verdict {
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
	const ofRoute = ({name: other}: SkippedRoute) => other === name;
	const place = `${edited.path.join('.')}.`;
	const route = webhook.routes.get(name);
	return {
		problems: [...webhook.refusals, ...webhook.slipped].filter(ofRoute).map(({reason, problem}) => {
			const path = problem.key.startsWith(place)
				? problem.key.slice(place.length)
				: pathBelow(name, problem);
			return {path, message: withoutName(name, reason, path)};
		}),
		warnings: [
			...webhook.skipped.filter(ofRoute).map(({reason}) => reason),
			...problems
				.filter(({severity, key}) => severity === 'warning' && key.startsWith(place))
				.map(({key, message}) => `${key.slice(place.length)}: ${message}`),
		],
		...(route && {route}),
	};
}

/** The text of `config.yaml` with an entry as it would be written, or why it cannot be. */
export function editedConfig(
	name: string,
	entry: JsonObject,
	{text, file, entry: before}: WrittenRoute,
):
	| {readonly ok: true; readonly text: string; readonly path: KeyPath}
	| {readonly ok: false; readonly reason: string} {
	const path = pathInConfig(parseYamlSource(text).value, name);
	const edits = editsBetween(path, isJsonObject(before) ? before : {}, entry);
	try {
		return {ok: true, text: editConfigText(text, edits, file), path};
	} catch (error) {
		if (codeOf(error) !== 'config_not_editable') {
			throw error;
		}

		return {ok: false, reason: messageOf(error)};
	}
}

/** What a field that is named already says of itself. */
function withoutName(name: string, reason: string, path: string): string {
	for (const before of [`Route "${name}" cannot be used: ${path} `, `Route "${name}" `]) {
		if (reason.startsWith(before)) {
			return reason.slice(before.length);
		}
	}

	return reason;
}
