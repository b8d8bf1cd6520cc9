import type {ChildProcess} from 'node:child_process';
import {realpathSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {type Clock, within} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import {parsedJson} from '../../core/json.ts';
import {createMutex} from '../../core/mutex.ts';
import {signalGroup, startGroup} from '../../core/process-group.ts';
import {partUrl} from '../../core/program.ts';
import {maxTasksOf} from '../sandbox/control-group.ts';
import {insideFolder} from '../sandbox/egress.ts';
import type {Mount} from '../sandbox/plan.ts';
import {startInSandbox} from '../sandbox/run-in-sandbox.ts';
import type {PlaceOfCall} from '../sandbox/tools-sandbox.ts';
import {watchLimits} from '../sandbox/watch-limits.ts';
import {
	createLineCutter,
	type HelperAnswer,
	type HelperAsk,
	type HelperCall,
} from './helper/contract.ts';

/** Where a helper works: in a sandbox, or without one. */
type HelperPlace = Exclude<PlaceOfCall, string>;

/** A run's process that works on files. Started by the first call; restarted when it has ended, or its place has changed. */
export type FileHelper = AsyncDisposable & {
	/** One call at a time. A failed call is an answer with `isError`. Rejects only with the reason of `signal`. */
	ask(ask: HelperAsk, place: HelperPlace, signal: AbortSignal): Promise<HelperAnswer>;
};

/** The time limit of a call, after which the process is ended. */
const callMs = 30_000;

const limits = {maxProcesses: 4, maxMemoryBytes: 768 * 2 ** 20};

const maxAnswerBytes = 16_000_000;

type Running = {
	readonly key: string;
	readonly child: ChildProcess;
	hasEnded: boolean;
	/** Resolves with the process's last words when it has ended. */
	readonly ended: Promise<string>;
	/** Receives each answer as one line. */
	onLine: (line: string) => void;
};

export function createFileHelper({clock}: {readonly clock: Clock}): FileHelper {
	const oneAtATime = createMutex();
	let running: Running | undefined;
	let lastId = 0;

	const end = async () => {
		const last = running;
		running = undefined;
		if (last && !last.hasEnded) {
			signalGroup(last.child, 'SIGKILL');
			await last.ended;
		}
	};

	/** The running process, or why there is none. */
	const runningIn = async (place: HelperPlace): Promise<Running | string> => {
		const key = JSON.stringify(place);
		if (running?.key !== key || running.hasEnded) {
			await end();
			try {
				running = start(place, key);
			} catch (error) {
				return messageOf(error);
			}
		}

		return running;
	};

	const call = async (ask: HelperAsk, place: HelperPlace, signal: AbortSignal) => {
		signal.throwIfAborted();
		lastId += 1;
		const id = lastId;
		const helper = await runningIn(place);
		if (typeof helper === 'string') {
			return {id, text: `Cannot work on files: ${helper}`, isError: true};
		}

		const {promise, resolve: told} = Promise.withResolvers<HelperAnswer>();
		const failed = (reason: string) =>
			told({id, text: `Cannot work on files: ${reason}`, isError: true});

		helper.onLine = line => {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- helper.ts alone writes there
			const answer = parsedJson(line) as HelperAnswer | undefined;
			if (answer?.id === id) {
				told(answer);
			}
		};

		void helper.ended.then(last =>
			failed(`the process that works on them ended${last === '' ? '' : `: ${last}`}`),
		);
		using watched = new DisposableStack();
		watched.defer(
			clock.after(callMs, () => {
				failed(`the time limit of ${callMs / 1000} s is reached`);
				void end();
			}),
		);
		const {pid} = helper.child;
		if (place.kind === 'sandbox' && pid !== undefined && process.platform === 'linux') {
			watched.use(
				watchLimits(pid, limits, {
					clock,
					onAbove(limit) {
						failed(`the process that works on them was ended: ${limit}`);
						void end();
					},
				}),
			);
		}

		const line: HelperCall = {id, ...ask};
		helper.child.stdin?.write(`${JSON.stringify(line)}\n`);
		try {
			return await within(promise, signal);
		} catch (error) {
			// An abandoned call must not continue.
			await end();
			throw error;
		}
	};

	return {
		ask: async (ask, place, signal) => {
			signal.throwIfAborted();
			const task = oneAtATime(async () => call(ask, place, signal));
			return within(task, signal);
		},
		[Symbol.asyncDispose]: end,
	};
}

const maxSaidLength = 300;

function start(place: HelperPlace, key: string): Running {
	const child = place.kind === 'sandbox' ? startInside(place) : startOpen(place);
	const {promise: ended, resolve: told} = Promise.withResolvers<string>();
	const running: Running = {key, child, hasEnded: false, ended, onLine() {}};
	const end = (last: string) => {
		running.hasEnded = true;
		told(last);
	};
	let said = '';
	const lines = createLineCutter();
	child.stdout?.on('data', (chunk: Buffer) => {
		for (const line of lines.add(chunk)) {
			running.onLine(line);
		}

		if (lines.heldBytes() > maxAnswerBytes) {
			signalGroup(child, 'SIGKILL');
		}
	});
	child.stderr?.on('data', (chunk: Buffer) => {
		said = `${said}${chunk.toString()}`.slice(-maxSaidLength * 10);
	});
	// The process may have ended.
	child.stdin?.on('error', () => {});
	child.once('error', error => end(codeOf(error)));
	child.once('close', () =>
		end(/^(?:bwrap: |\w*Error|FATAL ERROR).*$/m.exec(said)?.[0].slice(0, maxSaidLength) ?? ''),
	);
	return running;
}

/** Mounts the helper program and its Node into the sandbox. */
const shown = (from: string, name: string): Mount => ({
	kind: 'read',
	from: realpathSync(from),
	path: join(insideFolder, name),
});

const nodeFlags = ['--max-old-space-size=384', '--no-warnings'];

function startInside({
	launch,
	plan,
}: Extract<HelperPlace, {readonly kind: 'sandbox'}>): ChildProcess {
	const node = shown(process.execPath, 'node');
	const {mounts, script} = program();
	return startInSandbox([node.path, ...nodeFlags, script], {
		launch,
		plan: {
			...plan,
			// Folders in memory are left out: files in them would vanish after the run, so writing there is refused.
			mounts: [...plan.mounts.filter(({kind}) => kind !== 'memory'), node, ...mounts],
			maxTasks: maxTasksOf(limits),
		},
	});
}

/** The helper's script: in the source its file with its imports, in the bundle a separate file. */
function program(): {readonly mounts: readonly Mount[]; readonly script: string} {
	if (!scriptPath.endsWith('.ts')) {
		const name = 'file-helper.mjs';
		return {mounts: [shown(scriptPath, name)], script: join(insideFolder, name)};
	}

	const root = resolve(import.meta.dirname, '../../..');
	return {
		mounts: ['source', 'node_modules', 'package.json'].map(name => shown(join(root, name), name)),
		script: scriptPath.replace(root, insideFolder),
	};
}

const scriptPath = fileURLToPath(
	partUrl(import.meta.url, './helper/helper.ts', './file-helper.js'),
);

/** Starts the helper without a sandbox, as stated on the approval of each call. */
const startOpen = ({cwd}: Extract<HelperPlace, {readonly kind: 'open'}>): ChildProcess =>
	startGroup({command: process.execPath, args: [...nodeFlags, scriptPath], env: {}, cwd});
