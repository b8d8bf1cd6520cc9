import {messageOf} from '../core/errors.ts';
import {notedSchemaJson} from './config-schema-json.ts';
import type {Config, HomePaths, LoadedConfig} from './config.ts';
import {multiplexes} from './diagnose.ts';
import {type Environment, mergeEnvironment} from './environment.ts';
import {interpretConfig, refused, type LoadOptions} from './interpret-config.ts';
import {soundDataOf} from './item-errors.ts';
import {findLostKeys} from './keep-last-good.ts';
import {createPlacer, placeless, diagnosticIn} from './place-diagnostic.ts';
import {loadProfiles} from './profiles.ts';
import {standsElsewhere} from './sort-errors.ts';
import {readTextFile} from './text-files.ts';
import {parseYamlSource} from './yaml-source.ts';

const maxConfigBytes = 1024 * 1024;

/**
 * Reads `config.yaml` (at most 1 MiB) and `.env` of a home. Never throws: each error becomes a problem with its position. The file is refused as a whole only if it does
 * not parse or cannot be read; any other error disables one item (`Config.itemErrors`, `WebhookConfig.invalid`). A missing `config.yaml` means the defaults. Errors that
 * only keep the receiver from starting are in `webhook.refusals`. No message holds a secret.
 *
 * @see manual/configuration.md#one-slip-takes-one-thing-down, manual/receiver.md#settings, manual/routes.md#dynamic-routes
 */
export function loadConfig(
	options: LoadOptions & {
		/** Text to use in place of the content of `config.yaml`. */
		readonly text?: string;
	},
): LoadedConfig {
	const {paths} = options;
	const environment = attempt(() => mergeEnvironment(paths.env, options.environment));
	if (!environment.ok) {
		return refused([placeless(paths.env, environment)]);
	}

	const text = attempt(() => options.text ?? readTextFile(paths.config, maxConfigBytes));
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
	const lost = before
		? findLostKeys(sound.data, before.written, {
				schema: notedSchemaJson(),
				standsElsewhere: path => standsElsewhere(sound.data, path),
			})
		: [];
	const multiplexProfiles = multiplexes(sound.data, {paths, lost, before});
	return interpretConfig(
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

/** The configuration while the file is broken: the defaults, with nothing enabled. */
export function defaultConfig(paths: HomePaths, environment: Environment): Config {
	const loaded = loadConfig({paths: {...paths, config: `${paths.config}.none`}, environment});
	if (!loaded.ok) {
		throw new Error('the defaults are a valid configuration');
	}

	return loaded.config;
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
