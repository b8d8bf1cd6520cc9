import type {Problem} from '../core/config-view.ts';
import {messageOf} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import {resolveConfigReferences} from './config-references.ts';
import {configSchemaJson} from './config-schema-json.ts';
import type {HomePaths, LoadedConfig} from './config.ts';
import {mergeEnvironment, type Environment} from './environment.ts';
import {createPlacer, inOrder, placeless, problemIn, type Finding} from './place-problem.ts';
import {asPlainData} from './plain-data.ts';
import {readTextFile} from './read-text-file.ts';
import {describeIssues} from './schema-issues.ts';
import {configSchema} from './schema.ts';
import {collectSecrets} from './secret-values.ts';
import {findUnknownKeys, type UnknownKey} from './unknown-keys.ts';
import {findUnusedSettings, notUsedYet} from './unused-settings.ts';
import {resolveWebhook} from './webhook-config.ts';
import {mostProblems, parseYamlSource} from './yaml-source.ts';

const maxConfigBytes = 1024 * 1024;

export type LoadOptions = {
	readonly paths: HomePaths;
	/** The process's environment; the profile's `.env` is read here and wins. */
	readonly environment: Environment;
	/** Unknown keys are errors, as `svc config check` wants them; else warnings. */
	readonly strict?: boolean;
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
	return data.ok
		? interpret(data.value ?? {}, {
				...options,
				environment: environment.value,
				exists: text.value !== undefined,
				place,
			})
		: refused([place(data)]);
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

type Surroundings = LoadOptions & {
	readonly exists: boolean;
	readonly place: (finding: Finding) => Problem;
};

function interpret(written: JsonValue, surroundings: Surroundings): LoadedConfig {
	const {paths, environment, exists, place, strict = false} = surroundings;
	const {value, unset} = resolveConfigReferences(written, environment);
	const parsed = configSchema.safeParse(value);
	const problems = [
		...unset,
		...describeIssues(parsed.error?.issues ?? [], value),
		...findUnknownKeys(value, configSchemaJson()).map(key => aboutUnknown(key, strict)),
		...findUnusedSettings(value).map(aboutUnused),
	]
		.slice(0, mostProblems)
		.map(finding => place(finding));
	if (!parsed.success) {
		return refused(problems);
	}

	const {platforms, model, runs, forge, retention, gateway} = parsed.data;
	const receiver = resolveWebhook(platforms?.webhook, {profile: paths.profile, environment});
	problems.push(
		...receiver.problems.map(({name, message}) => placeless(paths.env, {key: name, message})),
	);
	if (problems.some(({severity}) => severity === 'error')) {
		return refused(problems);
	}

	return {
		ok: true,
		config: {
			paths,
			webhook: receiver.webhook,
			model,
			runs,
			forge,
			multiplexProfiles: gateway?.multiplex_profiles === true && paths.profile === 'default',
			platforms: platforms?.email ? {email: platforms.email} : {},
			retention,
			secretValues: collectSecrets({secret: receiver.webhook.secrets, value}, environment),
			environment,
			warnings: inOrder(problems),
			exists,
		},
	};
}

const aboutUnknown = ({path, nearest}: UnknownKey, strict: boolean): Finding => ({
	path,
	at: 'key',
	severity: strict ? 'error' : 'warning',
	message: nearest === undefined ? 'unknown key' : `unknown key, did you mean "${nearest}"`,
});

const aboutUnused = (path: Finding['path']): Finding => ({
	path,
	at: 'key',
	severity: 'warning',
	message: notUsedYet,
});
