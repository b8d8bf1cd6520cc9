import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {resolve} from 'node:path';
import {nodeVariables} from '../../source/core/program.ts';
import {flagsInTests} from './processes.ts';

/** The program as users run it: the bundle, on the Node that the tests run on. */
export const svcCommand = [process.execPath, resolve('build/main.js')] as const;

export type Finished = {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
};

type Options = {
	readonly home: string;
	readonly env?: Readonly<Record<string, string>>;
	readonly stdin?: string;
	/** Another bundle than that of this checkout: the path of its `main.js`. */
	readonly main?: string;
};

/** The environment of a `svc` under test: nothing of this machine's keys, servers or settings. */
export const svcEnvironment = ({home, env = {}}: Pick<Options, 'home' | 'env'>) => ({
	PATH: process.env['PATH'] ?? '',
	HOME: home,
	SVC_HOME: home,
	...nodeVariables,
	TERM: 'xterm-256color',
	LANG: 'C.UTF-8',
	NO_UPDATE_NOTIFIER: '1',
	// One port for all that run side by side; tests of it say otherwise in their configuration.
	API_ENABLED: 'false',
	// What Node compiled of the bundle, for every home together.
	XDG_CACHE_HOME: resolve('node_modules/.cache'),
	...env,
});

/** Runs `svc` to its end; killed after 60 seconds. */
export async function svc(args: readonly string[], options: Options): Promise<Finished> {
	const process = startSvc(args, options);
	const limit = setTimeout(() => process.kill('SIGKILL'), 60_000);
	try {
		return await process.finished;
	} finally {
		clearTimeout(limit);
	}
}

export type SvcProcess = AsyncDisposable & {
	readonly pid: number;
	readonly finished: Promise<Finished>;
	/** Everything printed so far. */
	output(): string;
	/** Resolves with the first output that `pattern` matches; rejects when the process ends or 20 seconds pass without. */
	waitFor(pattern: RegExp): Promise<RegExpExecArray>;
	kill(signal: NodeJS.Signals): void;
	/** Closes our ends of its stdout and stderr, as a reader does that goes away. */
	closeOutput(): void;
};

/** Starts `svc` and leaves it running; disposing of it ends it. */
export function startSvc(args: readonly string[], {home, env, stdin, main}: Options): SvcProcess {
	const [node, script] = svcCommand;
	const child = spawn(node, [...flagsInTests, main ?? script, ...args], {
		env: svcEnvironment({home, ...(env && {env})}),
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	child.stdin.on('error', () => {});
	child.stdin.end(stdin ?? '');
	let stdout = '';
	let stderr = '';
	const listeners = new Set<() => void>();
	const tell = () => {
		for (const listener of listeners) {
			listener();
		}
	};
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
		tell();
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
		tell();
	});
	let ended = false;
	const finished = (async () => {
		await once(child, 'close');
		ended = true;
		tell();
		return {code: child.exitCode, stdout, stderr};
	})();

	return {
		pid: child.pid ?? 0,
		finished,
		output: () => stdout + stderr,
		async waitFor(pattern) {
			const {promise, resolve: found, reject} = Promise.withResolvers<RegExpExecArray>();
			const look = () => {
				const match = pattern.exec(stdout + stderr);
				if (match) {
					found(match);
				} else if (ended) {
					reject(new Error(`svc ended without ${pattern}:\n${stdout}${stderr}`));
				}
			};
			const limit = setTimeout(() => {
				reject(new Error(`svc did not print ${pattern} in 20 s:\n${stdout}${stderr}`));
			}, 20_000);
			listeners.add(look);
			look();
			try {
				return await promise;
			} finally {
				clearTimeout(limit);
				listeners.delete(look);
			}
		},
		kill(signal) {
			child.kill(signal);
		},
		closeOutput() {
			child.stdout.destroy();
			child.stderr.destroy();
		},
		async [Symbol.asyncDispose]() {
			if (!ended) {
				child.kill('SIGKILL');
			}

			await finished;
		},
	};
}
