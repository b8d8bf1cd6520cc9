import {createHash} from 'node:crypto';
import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {compact} from '../core/names.ts';
import {createRedact} from '../core/redact.ts';
import type {SetupDraft, SetupPlan} from '../core/setup.ts';
import {escapeLine} from '../core/untrusted.ts';
import {platformNamed} from '../platforms/platforms.ts';
import {problemWithNewName} from './check-subscription.ts';
import {declaredSecrets} from './config-schema-json.ts';
import type {Config, HomePaths, LoadedConfig} from './config.ts';
import {editConfig, editConfigText, maxConfigBytes} from './edit-config.ts';
import type {YamlEdit} from './edit-yaml.ts';
import {firstConfig} from './first-config.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {generateSecret} from './merge-subscription.ts';
import {plainAt, valueAt, type KeyPath} from './plain-data.ts';
import {platformError, platformSettings, problemWithSettings} from './platform-settings.ts';
import {referencesIn} from './references.ts';
import {configDiff, movesOthers} from './route-edit/entry-diff.ts';
import {pathInConfig, readWrittenRoute} from './route-edit/written-route.ts';
import {insecureSecret} from './route-refusals.ts';
import {readTextFile} from './text-files.ts';
import {warningOnSecrets} from './weak-secrets.ts';
import {parseYamlSource} from './yaml-source.ts';

/** The receiver settings that can be set up; absent ones stay unchanged. */
export type ReceiverSettings = Pick<SetupDraft, 'enable' | 'host' | 'port' | 'secret'>;

const section: KeyPath = ['platforms', 'webhook'];

/** The path of the section that a draft changes. */
const sectionOf = ({platform}: Pick<SetupDraft, 'platform'>): KeyPath =>
	platform ? ['platforms', platform.name] : section;

/** The edits of `config.yaml` (`written`) for these settings: under `extra` where they stand there, since `extra` wins. */
export const receiverEdits = (
	{enable, host, port, secret}: ReceiverSettings,
	written: unknown,
): readonly YamlEdit[] =>
	Object.entries({enabled: enable, host, port, secret}).flatMap(([key, value]) => {
		const inExtra = [...section, 'extra', key];
		const isThere = valueAt(written, inExtra) !== undefined;
		return value === undefined ? [] : [{path: isThere ? inExtra : [...section, key], value}];
	});

/** The context in which a setup is checked. */
export type SetupSurroundings = {
	/** The configuration in use. */
	readonly config: Config;
	/** Loads this text of `config.yaml` as a start would. */
	readonly load: (text: string) => LoadedConfig;
	/** Keys of `next` whose change needs a restart. */
	readonly restartNeeded: (next: Config) => readonly string[];
};

/**
 * The changes that `draft` would make in `config.yaml`, without secrets.
 *
 * @throws SvcError as `editConfigText` does; `file_too_large`
 */
export function planSetup(draft: SetupDraft, surroundings: SetupSurroundings): SetupPlan {
	const {paths, webhook} = surroundings.config;
	const before = readTextFile(paths.config, maxConfigBytes) ?? firstConfig();
	const whole = withMadeSecret(draft);
	const after = editConfigText(before, editsFor(whole), paths.config);
	const path = sectionOf(draft);
	const change = {textBefore: before, textAfter: after, path};
	const {problems, next} = judge(whole, {before, after}, surroundings);
	return {
		file: paths.config,
		diff:
			before === after
				? []
				: withoutSecrets(
						configDiff(
							{before: sectionIn(before, path), after: sectionIn(after, path) ?? {}},
							change,
						),
						[surroundings.config.secretValues, ...[before, after].map(secretsIn)].flat(),
					),
		problems,
		warnings: compact([
			warningOnSecrets(compact([draft.secret])),
			next && warningOnReplaced(surroundings.config, next),
		]),
		restartNeeded: next ? surroundings.restartNeeded(next) : [],
		movesOthers: sectionIn(before, path) !== undefined && movesOthers(change),
		now: {
			enabled: webhook.enabled,
			host: webhook.host,
			port: webhook.port,
			hasSecret: webhook.secrets.length > 0,
		},
		fingerprint: fingerprintOf(before),
	};
}

/**
 * Writes `draft` into `config.yaml` under its lock, keeping comments; returns the generated secret.
 *
 * @throws SvcError `setup_refused`, `setup_conflict`; as `editConfig` does
 */
export async function setUp(
	draft: SetupDraft,
	{surroundings, clock}: {readonly surroundings: SetupSurroundings; readonly clock: Clock},
): Promise<{readonly secret?: string}> {
	const whole = withMadeSecret(draft);
	const {paths} = surroundings.config;
	await editConfig(paths, editsFor(whole), {
		clock,
		check(after, before) {
			if (![undefined, fingerprintOf(before)].includes(draft.fingerprint)) {
				throw new SvcError(
					'setup_conflict',
					`Cannot write "${paths.config}": it was changed since its diff was made; look at the diff again`,
				);
			}

			const [problem] = judge(whole, {before, after}, surroundings).problems;
			if (problem !== undefined) {
				const subject = draft.platform ? escapeLine(draft.platform.name, 80) : 'the receiver';
				throw new SvcError('setup_refused', `Cannot set up ${subject}: ${problem}`);
			}
		},
	});
	return draft.makeSecret === true && whole.secret !== undefined ? {secret: whole.secret} : {};
}

/** What to beware of where `next` no longer accepts a global secret that was accepted before; `undefined` if it accepts all of them. */
export const warningOnReplaced = (before: Config, next: Config): string | undefined =>
	before.webhook.secrets.every(
		secret => secret === insecureSecret || next.webhook.secrets.includes(secret),
	)
		? undefined
		: 'the old secret is replaced: change it at each sender that signs with it, too';

const withMadeSecret = (draft: SetupDraft): SetupDraft =>
	draft.makeSecret === true ? {...draft, secret: generateSecret()} : draft;

const editsFor =
	({route, platform, ...settings}: SetupDraft) =>
	(written: unknown): readonly YamlEdit[] => [
		...Object.entries(platform ? {enabled: true, ...platform.settings} : {}).flatMap(
			([key, value]) => leafEdits(written, ['platforms', platform?.name ?? '', key], value),
		),
		...receiverEdits(settings, written),
		...(route === undefined
			? []
			: [{path: pathInConfig(written, route.name), value: entryOf(route)}]),
	];

/** One edit for each leaf, so that its siblings stay. A mapping replaces a value that is not a mapping. */
function leafEdits(written: unknown, path: KeyPath, value: JsonValue): readonly YamlEdit[] {
	const there = valueAt(written, path) ?? {};
	return isJsonObject(value) && isJsonObject(there)
		? Object.entries(value).flatMap(([key, member]) => leafEdits(written, [...path, key], member))
		: [{path, value}];
}

const entryOf = ({events = [], prompt}: NonNullable<SetupDraft['route']>): JsonObject => ({
	...(events.length > 0 && {events: [...events]}),
	...(prompt !== undefined && {prompt}),
	deliver: 'log',
});

function withoutSecrets(diff: readonly string[], secrets: readonly string[]): readonly string[] {
	const hide = createRedact(() => secrets);
	return diff.map(line => hide(line));
}

/** The texts of secret settings in a `config.yaml`, except those that are only a reference. */
const secretsIn = (text: string): readonly string[] =>
	declaredSecrets(sectionIn(text, [])).filter(secret => referencesIn(secret)[0] !== secret);

/** The mapping at a path of the text. */
function sectionIn(text: string, path: KeyPath): JsonObject | undefined {
	const value = plainAt(parseYamlSource(text).value, path);
	return isJsonObject(value) ? value : undefined;
}

const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Problems that the change would cause; existing ones do not count. */
function judge(
	{route, platform}: SetupDraft,
	{before, after}: {readonly before: string; readonly after: string},
	{config: {paths}, load}: SetupSurroundings,
): {readonly problems: readonly string[]; readonly next?: Config} {
	const ofRoute = platform
		? platformNamed(platform.name)
			? undefined
			: `there is no platform "${escapeLine(platform.name, 80)}"`
		: route && problemWithRoute(route.name, before, paths);
	const loaded = load(after);
	const known = new Set(problemsOf(load(before)).map(({key, message}) => `${key} ${message}`));
	const problems = problemsOf(loaded)
		.filter(({key, message}) => !known.has(`${key} ${message}`))
		.map(formatDiagnostic);
	const unusable =
		platform && problems.length === 0 && loaded.ok
			? problemWithPlatform(loaded.config, platform.name)
			: undefined;
	return {
		problems: [ofRoute ?? unusable ?? [...new Set(problems)]].flat(),
		...(loaded.ok && {next: loaded.config}),
	};
}

/** Why nothing could be sent to the platform, even if that was so before. */
function problemWithPlatform(next: Config, name: string): string | undefined {
	const problem = problemWithSettings(name, platformSettings(next, name));
	return platformError(next, name)?.reason ?? (problem && `platforms.${name} ${problem}`);
}

const problemsOf = (loaded: LoadedConfig) =>
	loaded.ok
		? [
				...loaded.config.problems.filter(({severity}) => severity === 'error'),
				...[...loaded.config.webhook.refusals, ...loaded.config.webhook.invalid].map(
					({problem}) => problem,
				),
			]
		: loaded.problems;

function problemWithRoute(name: string, text: string, paths: HomePaths): string | undefined {
	const {value} = parseYamlSource(text);
	const isTaken =
		plainAt(value, pathInConfig(value, name)) !== undefined ||
		readWrittenRoute(paths, name, 'dynamic').entry !== undefined;
	return (
		problemWithNewName(name) ??
		(isTaken ? `there is a route "${name}" already: choose another name` : undefined)
	);
}
