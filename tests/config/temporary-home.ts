import {mkdtempDisposableSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Config, HomePaths, LoadedConfig} from '../../source/config/config.ts';
import {formatDiagnostic} from '../../source/config/format-diagnostic.ts';
import {ensureHome, homePaths} from '../../source/config/home-paths.ts';
import {loadConfig} from '../../source/config/load-config.ts';

export type TemporaryHome = Disposable & {
	readonly paths: HomePaths;
	/** Writes files of the home and loads it with nothing but `environment` around it. */
	load(
		files?: {readonly config?: string; readonly env?: string},
		options?: {readonly environment?: Record<string, string>; readonly strict?: boolean},
	): LoadedConfig;
};

/** A home in the temporary folder, removed when it is disposed of. */
export function createTemporaryHome({profile}: {readonly profile?: string} = {}): TemporaryHome {
	const folder = mkdtempDisposableSync(join(tmpdir(), 'svc-home-'));
	const paths = homePaths({environment: {SVC_HOME: join(folder.path, 'home')}, profile});
	ensureHome(paths);
	return {
		paths,
		load({config, env} = {}, {environment = {}, strict} = {}) {
			if (config !== undefined) {
				writeFileSync(paths.config, config);
			}

			if (env !== undefined) {
				writeFileSync(paths.env, env);
			}

			return loadConfig({paths, environment, ...(strict !== undefined && {strict})});
		},
		[Symbol.dispose]() {
			folder.remove();
		},
	};
}

/** The configuration, or an error that says what was refused. */
export function configOf(loaded: LoadedConfig): Config {
	if (!loaded.ok) {
		throw new Error(problemsOf(loaded).join('\n'));
	}

	return loaded.config;
}

/** Every problem and warning, one line each. */
export const problemsOf = (loaded: LoadedConfig): readonly string[] =>
	(loaded.ok ? loaded.config.problems : loaded.problems).map(formatDiagnostic);

/** Whether anything of it is an error: the file is refused as a whole, or one thing that it says. */
export const hasErrors = (loaded: LoadedConfig): boolean =>
	(loaded.ok ? loaded.config.problems : loaded.problems).some(({severity}) => severity === 'error');
