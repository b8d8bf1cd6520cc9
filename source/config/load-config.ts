import type {Diagnostic} from '../core/config-view.ts';
import {messageOf} from '../core/errors.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {resolveConfigReferences} from './config-references.ts';
import {notedSchemaJson} from './config-schema-json.ts';
import type {Config, HomePaths, LoadedConfig, Profiles} from './config.ts';
import {declaredSecrets} from './declared-secrets.ts';
import {diagnoseProfiles, multiplexes} from './diagnose-profiles.ts';
import {diagnoseServers} from './diagnose-servers.ts';
import {diagnoseToolsets} from './diagnose-toolsets.ts';
import {mergeEnvironment, type Environment} from './environment.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {findLostKeys, withInUse} from './lost-keys.ts';
import {
	below,
	bounded,
	createPlacer,
	inOrder,
	placeless,
	diagnosticIn,
	type UnplacedDiagnostic,
} from './place-diagnostic.ts';
import {platformsIn, secretsOfPlatforms} from './platform-settings.ts';
import {servedProfile} from './profile-binding.ts';
import {loadProfiles} from './profiles.ts';
import {readTextFile} from './read-text-file.ts';
import {hasReference} from './references.ts';
import {routesPlace} from './routes-place.ts';
import {describeIssues} from './schema-issues.ts';
import {configSchema} from './schema.ts';
import {collectSecrets} from './secret-values.ts';
import {serverSecrets} from './server-secrets.ts';
import {readSoundPart, slipKey, soundDataOf, type SoundData} from './slips.ts';
import {reasonsOf, receiverPath, sortSlips} from './sort-slips.ts';
import {toolServersOf} from './tool-servers.ts';
import {findUnknownKeys, unknownKey, type UnknownKey} from './unknown-keys.ts';
import {
	findKeysWithoutValue,
	findUnusedSettings,
	notUsedYet,
	withoutValue,
} from './unused-settings.ts';
import {findWeakSecrets} from './weak-secrets.ts';
import {resolveWebhook} from './webhook-config.ts';
import {withSlips} from './with-slips.ts';
import {maxProblems, parseYamlSource} from './yaml-source.ts';

const maxConfigBytes = 1024 * 1024;

export type LoadOptions = {
	readonly paths: HomePaths;
	/** The process's environment; the profile's `.env` is read here and wins. */
	readonly environment: Environment;
	/** Unknown keys are errors, as `svc config check` wants them; else warnings. */
	readonly strict?: boolean;
	/** The configuration in use: what cannot be used as it is written now stays as it is there. */
	readonly before?: Config;
};

/**
 * Reads `config.yaml` (at most 1 MiB) and `.env` of a home. Never throws: whatever is wrong is a problem with its place. Only a file that does not parse, or
 * cannot be read, is refused as a whole: anything else takes out the one item that it stands in (`Config.slips`, `WebhookConfig.slipped`). A `config.yaml` that is
 * missing means the defaults. What only keeps the receiver from starting is in `webhook.refusals`. No message holds a secret.
 *
 * @see manual/configuration.md#one-slip-takes-one-thing-down, manual/receiver.md#settings, manual/routes.md#subscriptions
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
	const {paths} = options;
	const environment = attempt(() => mergeEnvironment(paths.env, options.environment));
	if (!environment.ok) {
		return refused([placeless(paths.env, environment)]);
	}

	const text = attempt(() => readTextFile(paths.config, maxConfigBytes));
	if (!text.ok) {
		return refused([placeless(paths.config, text)]);
	}

	const source = parseYamlSource(text.value ?? '');
	if (source.problems.length > 0) {
		return refused(
			source.problems.map(problem => diagnosticIn(paths.config, {severity: 'error', ...problem})),
		);
	}

	const place = createPlacer(paths.config, source);
	const sound = soundDataOf(source.value);
	if (!sound.ok) {
		return refused([place(sound)]);
	}

	const {before} = options;
	const lost = before ? findLostKeys(sound.data, before.written, notedSchemaJson()) : [];
	const multiplexProfiles = multiplexes(sound.data, {paths, lost, before});
	return interpret(
		{data: sound.data, findings: [...sound.findings, ...lost]},
		{
			...options,
			written: source.value,
			merged: environment.value,
			multiplexProfiles,
			profiles: loadProfiles(paths, {
				environment: options.environment,
				merged: environment.value,
				multiplex: multiplexProfiles,
				before: before?.profiles,
			}),
			exists: text.value !== undefined,
			blank: source.value === null,
			place,
		},
	);
}

type Attempt<T> =
	| {readonly ok: true; readonly value: T}
	| {readonly ok: false; readonly message: string};

function attempt<T>(action: () => T): Attempt<T> {
	try {
		return {ok: true, value: action()};
	} catch (error) {
		return {ok: false, message: messageOf(error)};
	}
}

const refused = (problems: readonly Diagnostic[]): LoadedConfig => ({
	ok: false,
	problems: inOrder(problems),
});

type Surroundings = LoadOptions & {
	/** What the parser returned. */
	readonly written: unknown;
	/** The process's variables under the home's `.env`. */
	readonly merged: Environment;
	readonly profiles: Profiles;
	readonly multiplexProfiles: boolean;
	readonly exists: boolean;
	readonly blank: boolean;
	readonly place: (finding: UnplacedDiagnostic) => Diagnostic;
};

function interpret({data, findings: ofData}: SoundData, surroundings: Surroundings): LoadedConfig {
	const {paths, merged, profiles, multiplexProfiles, place, strict = false} = surroundings;
	const serving = {profile: paths.profile, multiplexProfiles, profiles};
	const {value, findings: ofReferences} = resolveConfigReferences(data, profile => {
		const served = servedProfile(profile, serving);
		return served === undefined
			? undefined
			: {profile: served, environment: profiles.of(served).environment};
	});
	const {before} = surroundings;
	const sound = readSoundPart(value, [...ofData, ...ofReferences], parseConfig);
	if (!sound.ok) {
		return refused(sound.findings.slice(0, maxProblems).map(finding => place(finding)));
	}

	const {platforms, model, runs, forge, metrics, retention, mcp_servers} = sound.parsed;
	const slips = sortSlips(sound.slips, surroundings.written, value);
	const configured = platformsIn(platforms ?? {});
	const toolServers = toolServersOf(mcp_servers);
	const routesAt = routesPlace(value);
	const {
		webhook,
		lastRoutes,
		hasLastValues,
		problems: ofVariables,
	} = resolveWebhook(platforms?.webhook, {
		...serving,
		environment: merged,
		unread: slips.routes,
		unreadSettings: slips.receiver,
		before: before?.webhook,
		place: (name, finding) => place(below([...routesAt, name], finding)),
	});
	const ofEnvironment = ofVariables.map(({name, message}) =>
		placeless(paths.env, {key: name, message}),
	);
	const problems = bounded(
		[
			...slips.findings.map(finding => place(finding)),
			...webhook.slipped.map(({problem}) => problem),
			...ofEnvironment,
			...[
				...findUnknownKeys(value, notedSchemaJson()).map(key => aboutUnknown(key, strict)),
				...findUnusedSettings(value).map(path => warningAt(path, notUsedYet)),
				...findKeysWithoutValue(value).map(path => warningAt(path, withoutValue)),
				...diagnoseProfiles(value, {paths, webhook, profiles}),
				...findWeakSecrets(value, webhook),
				...diagnoseServers(mcp_servers),
				...diagnoseToolsets(value, {routes: webhook.routes, toolServers, slips: slips.items}),
			].map(finding => place(finding)),
			...profiles.problems.map(aboutProfile),
		],
		paths.config,
	);
	const rest = withoutServers(value);
	const [ofReceiver] = ofEnvironment;
	const reasons = new Map([
		...(ofReceiver
			? [
					[
						slipKey(receiverPath),
						{path: receiverPath, reason: formatDiagnostic(ofReceiver)},
					] as const,
				]
			: []),
		...reasonsOf(slips, place),
	]);

	return {
		ok: true,
		config: withSlips(
			{
				paths,
				webhook,
				model,
				runs,
				forge,
				multiplexProfiles,
				profiles,
				metrics,
				platforms: configured,
				toolServers,
				retention,
				slips: new Map(),
				secretValues: [
					...new Set([
						...collectSecrets(
							{secret: [...webhook.secrets, ...declaredSecrets(rest)], value: rest},
							[merged, ...profiles.others.map(({environment}) => environment)],
						),
						...secretsOfPlatforms(configured),
						...[...toolServers.values()].flatMap(serverSecrets).filter(text => !hasReference(text)),
					]),
				],
				environment: merged,
				problems,
				written: before
					? withInUse(
							data,
							before.written,
							[...sound.slips.values()].flatMap(({item, findings}) => [
								item,
								...findings.flatMap(({shownAt}) => (shownAt ? [shownAt] : [])),
							]),
						)
					: data,
				exists: surroundings.exists,
				blank: surroundings.blank,
			},
			{
				reasons: [...reasons.values()],
				isReceiverUsable: hasLastValues,
				lastRoutes,
				before,
			},
		),
	};
}

/** The whole file by its schema. */
function parseConfig(value: JsonValue) {
	const parsed = configSchema.safeParse(value);
	return parsed.success
		? {ok: true as const, parsed: parsed.data}
		: {ok: false as const, findings: describeIssues(parsed.error.issues, value)};
}

/** Tool servers say themselves what of them is secret: there, a placeholder must stay legible. */
const withoutServers = (value: JsonValue): JsonValue =>
	isJsonObject(value) ? {...value, mcp_servers: null} : value;

/** The home runs without it: the rest of the file is not refused for one profile. */
const aboutProfile = ({file, message}: Profiles['problems'][number]): Diagnostic => ({
	...placeless(file, {message}),
	severity: 'warning',
});

const aboutUnknown = (key: UnknownKey, strict: boolean): UnplacedDiagnostic => ({
	path: key.path,
	at: 'key',
	severity: strict ? 'error' : 'warning',
	message: unknownKey(key),
});

const warningAt = (path: UnplacedDiagnostic['path'], message: string): UnplacedDiagnostic => ({
	path,
	at: 'key',
	severity: 'warning',
	message,
});
