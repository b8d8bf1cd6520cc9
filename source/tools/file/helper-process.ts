import type {ChildProcess} from 'node:child_process';
import {realpathSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {type Clock, within} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import {parsedJson} from '../../core/json.ts';
import {createMutex} from '../../core/mutex.ts';
import {signalGroup, startGroup} from '../../core/process-group.ts';
import {maxTasksOf} from '../sandbox/control-group.ts';
import type {Mount} from '../sandbox/plan.ts';
import {startInSandbox} from '../sandbox/run-in-sandbox.ts';
import type {ToolsSandbox} from '../sandbox/tools-sandbox.ts';
import {watchLimits} from '../sandbox/watch-limits.ts';
import type {HelperAnswer, HelperAsk, HelperCall} from './helper/contract.ts';

/** Where a helper works: in a sandbox, or in none. */
type HelperPlace =
	| Pick<Extract<ToolsSandbox, {readonly kind: 'sandbox'}>, 'kind' | 'launch' | 'plan'>
	| Pick<Extract<ToolsSandbox, {readonly kind: 'open'}>, 'kind' | 'why' | 'cwd'>;

/** The process of a run that works on files. It starts with the first call, and anew where it has ended, or its place is another one. */
export type FileHelper = AsyncDisposable & {
	/** One call at a time. What cannot be done is an answer with `isError`. Rejects with the reason of `signal` alone. */
	ask(ask: HelperAsk, place: HelperPlace, signal: AbortSignal): Promise<HelperAnswer>;
};

/** From when a call begins until it is given up, with the process. */
const callMs = 30_000;

const limits = {maxProcesses: 4, maxMemoryBytes: 768 * 2 ** 20};

const maxAnswerBytes = 16_000_000;

type Running = {
	readonly key: string;
	readonly child: ChildProcess;
	/** Whether it can be asked still. */
	hasEnded: boolean;
	/** Resolves when it has ended, with what it said last. */
	readonly ended: Promise<string>;
	/** Gets each answer, as one line. */
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

	/** The process, or why there is none. */
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
		const failed = (reason: string) => {
			told({id, text: `Cannot work on files: ${reason}`, isError: true});
		};

		helper.onLine = line => {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- helper.ts alone writes there
			const answer = parsedJson(line) as HelperAnswer | undefined;
			if (answer?.id === id) {
				told(answer);
			}
		};

		const sayEnded = async () => {
			const last = await helper.ended;
			failed(`the process that works on them ended${last === '' ? '' : `: ${last}`}`);
		};

		void sayEnded();
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
			// What is not waited for must not go on.
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

const lineFeed = 10;

const maxSaidLength = 300;

function start(place: HelperPlace, key: string): Running {
	const child = place.kind === 'sandbox' ? startInside(place) : startOpen(place);
	const {promise: ended, resolve: hasEnded} = Promise.withResolvers<string>();
	const running: Running = {key, child, hasEnded: false, ended, onLine() {}};
	let said = '';
	let pieces: Buffer[] = [];
	let length = 0;
	child.stdout?.on('data', (chunk: Buffer) => {
		let rest = chunk;
		for (let at = rest.indexOf(lineFeed); at !== -1; at = rest.indexOf(lineFeed)) {
			running.onLine(Buffer.concat([...pieces, rest.subarray(0, at)]).toString());
			pieces = [];
			length = 0;
			rest = rest.subarray(at + 1);
		}

		pieces.push(rest);
		length += rest.length;
		if (length > maxAnswerBytes) {
			signalGroup(child, 'SIGKILL');
		}
	});
	child.stderr?.on('data', (chunk: Buffer) => {
		said = `${said}${chunk.toString()}`.slice(-maxSaidLength * 10);
	});
	// It may have ended.
	child.stdin?.on('error', () => {});
	child.once('error', error => {
		running.hasEnded = true;
		hasEnded(codeOf(error));
	});
	child.once('close', () => {
		running.hasEnded = true;
		hasEnded(/^(?:bwrap: |\w*Error|FATAL ERROR).*$/m.exec(said)?.[0].slice(0, maxSaidLength) ?? '');
	});
	return running;
}

/** Where the program and its Node are seen inside; nothing else is there. */
const inside = '/run/svc';

const nodeFlags = ['--max-old-space-size=384', '--no-warnings'];

function startInside({
	launch,
	plan,
}: Extract<HelperPlace, {readonly kind: 'sandbox'}>): ChildProcess {
	const node: Mount = {
		kind: 'read',
		from: realpathSync(process.execPath),
		path: join(inside, 'node'),
	};
	const {mounts, script} = program();
	return startInSandbox([node.path, ...nodeFlags, script], {
		launch,
		plan: {
			...plan,
			// What is written into memory would be gone after the run: better it is refused.
			mounts: [...plan.mounts.filter(({kind}) => kind !== 'memory'), node, ...mounts],
			maxTasks: maxTasksOf(limits),
		},
	});
}

/** In the source the helper is its file and what that imports; in the bundle, a file of its own. */
function program(): {readonly mounts: readonly Mount[]; readonly script: string} {
	const read = (from: string, path: string): Mount => ({
		kind: 'read',
		from: realpathSync(from),
		path: join(inside, path),
	});
	if (!import.meta.url.endsWith('.ts')) {
		const name = 'file-helper.mjs';
		return {mounts: [read(scriptPath(), name)], script: join(inside, name)};
	}

	const root = resolve(import.meta.dirname, '../../..');
	return {
		mounts: ['source', 'node_modules', 'package.json'].map(name => read(join(root, name), name)),
		script: scriptPath().replace(root, inside),
	};
}

const scriptPath = (): string =>
	fileURLToPath(
		new URL(
			import.meta.url.endsWith('.ts') ? './helper/helper.ts' : './file-helper.js',
			import.meta.url,
		),
	);

/** Without a sandbox, which a person is told of with each call. */
const startOpen = ({cwd}: Extract<HelperPlace, {readonly kind: 'open'}>): ChildProcess =>
	startGroup({
		command: process.execPath,
		args: [...nodeFlags, scriptPath()],
		env: {},
		cwd,
	});
