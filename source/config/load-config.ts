import type {Problem} from '../core/config-view.ts';
import {messageOf} from '../core/errors.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {resolveConfigReferences} from './config-references.ts';
import {configSchemaJson} from './config-schema-json.ts';
import type {HomePaths, LoadedConfig, Profiles} from './config.ts';
import {mergeEnvironment, type Environment} from './environment.ts';
import {createPlacer, inOrder, placeless, problemIn, type Finding} from './place-problem.ts';
import {asPlainData} from './plain-data.ts';
import {servedProfile} from './profile-binding.ts';
import {findProfileTroubles, multiplexes} from './profile-findings.ts';
import {loadProfiles} from './profiles.ts';
import {readTextFile} from './read-text-file.ts';
import {hasReference} from './references.ts';
import {describeIssues} from './schema-issues.ts';
import {configSchema} from './schema.ts';
import {collectSecrets} from './secret-values.ts';
import {secretsIn} from './server-secrets.ts';
import {findServerAdvice} from './tool-server-advice.ts';
import {toolServersOf} from './tool-servers.ts';
import {findToolsetTroubles} from './toolset-trouble.ts';
import {findUnknownKeys, unknownKey, type UnknownKey} from './unknown-keys.ts';
import {findUnusedSettings, notUsedYet} from './unused-settings.ts';
import {findWeakSecrets} from './weak-secrets.ts';
import {resolveWebhook} from './webhook-config.ts';
import {mostProblems, parseYamlSource} from './yaml-source.ts';

const maxConfigBytes = 1024 * 1024;

export type LoadOptions = {
	readonly paths: HomePaths;
	/** The process's environment; the profile's `.env` is read here and wins. */
	readonly environment: Environment;
	/** Unknown keys are errors, as `svc config check` wants them; else warnings. */
	readonly strict?: boolean;
	/** The profiles of the last good configuration: where the `.env` of one cannot be read now, its variables stay. */
	readonly profilesBefore?: Profiles;
};

/**
 * Reads `config.yaml` (at most 1 MiB) and `.env` of a home. Never throws: whatever is wrong is a problem with its place. A `config.yaml` that is
 * missing means the defaults. What only keeps the receiver from starting is in `webhook.refusals`. No message holds a secret.
 *
 * @see Decisions 1, Interface 2.4 to 2.11
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
			source.problems.map(problem => problemIn(paths.config, {severity: 'error', ...problem})),
		);
	}

	const place = createPlacer(paths.config, source);
	const data = asPlainData(source.value);
	if (!data.ok) {
		return refused([place(data)]);
	}

	const multiplexProfiles = multiplexes(data.value, paths);
	return interpret(data.value ?? {}, {
		...options,
		merged: environment.value,
		multiplexProfiles,
		profiles: loadProfiles(paths, {
			environment: options.environment,
			merged: environment.value,
			multiplex: multiplexProfiles,
			before: options.profilesBefore,
		}),
		exists: text.value !== undefined,
		blank: data.value === null,
		place,
	});
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

const refused = (problems: readonly Problem[]): LoadedConfig => ({
	ok: false,
	problems: inOrder(problems),
});

type Surroundings = Omit<LoadOptions, 'profilesBefore'> & {
	/** The process's variables under the home's `.env`. */
	readonly merged: Environment;
	readonly profiles: Profiles;
	readonly multiplexProfiles: boolean;
	readonly exists: boolean;
	readonly blank: boolean;
	readonly place: (finding: Finding) => Problem;
};

function interpret(written: JsonValue, surroundings: Surroundings): LoadedConfig {
	const {paths, merged, profiles, multiplexProfiles, place, strict = false} = surroundings;
	const serving = {profile: paths.profile, multiplexProfiles, profiles};
	const {value, unset} = resolveConfigReferences(written, profile => {
		const served = servedProfile(profile, serving);
		return served === undefined
			? undefined
			: {profile: served, environment: profiles.of(served).environment};
	});
	const parsed = configSchema.safeParse(value);
	const findings = [
		...unset,
		...describeIssues(parsed.error?.issues ?? [], value),
		...findUnknownKeys(value, configSchemaJson()).map(key => aboutUnknown(key, strict)),
		...findUnusedSettings(value).map(aboutUnused),
	];
	const placed = (found: readonly Finding[]) =>
		found.slice(0, mostProblems).map(finding => place(finding));
	if (!parsed.success) {
		return refused(placed(findings));
	}

	const {platforms, model, runs, forge, metrics, retention, mcp_servers} = parsed.data;
	const toolServers = toolServersOf(mcp_servers);
	const {webhook, problems: ofVariables} = resolveWebhook(platforms?.webhook, {
		...serving,
		environment: merged,
	});
	const problems = [
		...placed([
			...findings,
			...findProfileTroubles(value, {paths, webhook, profiles}),
			...findWeakSecrets(value, webhook),
			...findServerAdvice(mcp_servers),
			...findToolsetTroubles(value, {routes: webhook.routes, toolServers}),
		]),
		...ofVariables.map(({name, message}) => placeless(paths.env, {key: name, message})),
		...profiles.problems.map(aboutProfile),
	];
	if (problems.some(({severity}) => severity === 'error')) {
		return refused(problems);
	}

	return {
		ok: true,
		config: {
			paths,
			webhook,
			model,
			runs,
			forge,
			multiplexProfiles,
			profiles,
			metrics,
			platforms: platforms?.email ? {email: platforms.email} : {},
			toolServers,
			retention,
			secretValues: [
				...new Set([
					...collectSecrets({secret: webhook.secrets, value: withoutServers(value)}, [
						merged,
						...profiles.others.map(({environment}) => environment),
					]),
					...[...toolServers.values()].flatMap(secretsIn).filter(text => !hasReference(text)),
				]),
			],
			environment: merged,
			warnings: inOrder(problems),
			exists: surroundings.exists,
			blank: surroundings.blank,
		},
	};
}

/** Tool servers say themselves what of them is secret: there, a placeholder must stay legible. */
const withoutServers = (value: JsonValue): JsonValue =>
	isJsonObject(value) ? {...value, mcp_servers: null} : value;

/** The home runs without it: the rest of the file is not refused for one profile. */
const aboutProfile = ({file, message}: Profiles['problems'][number]): Problem => ({
	...placeless(file, {message}),
	severity: 'warning',
});

const aboutUnknown = (key: UnknownKey, strict: boolean): Finding => ({
	path: key.path,
	at: 'key',
	severity: strict ? 'error' : 'warning',
	message: unknownKey(key),
});

const aboutUnused = (path: Finding['path']): Finding => ({
	path,
	at: 'key',
	severity: 'warning',
	message: notUsedYet,
});
