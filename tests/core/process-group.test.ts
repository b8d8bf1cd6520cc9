// @module-tag slow
import {getEventListeners} from 'node:events';
import {existsSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {Clock} from '../../source/core/clock.ts';
import {type GroupJob, runInGroup} from '../../source/core/process-group.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {isGone, readWhenThere, until} from '../helpers/processes.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const plenty = {limitBytes: 1000, above: 'keep-start'} as const;

/** A shell that runs `source`. */
const shell = (source: string, job: Partial<GroupJob> = {}): GroupJob => ({
	command: 'sh',
	args: ['-c', source],
	env: {PATH: process.env['PATH'] ?? ''},
	cwd: '/',
	input: '',
	stdout: plenty,
	stderr: plenty,
	timeoutMs: 60_000,
	termGraceMs: 0,
	signal: new AbortController().signal,
	...job,
});

const run = async (source: string, job?: Partial<GroupJob>) =>
	runInGroup(shell(source, job), {clock: createFakeClock()});

/** A folder in which commands say that they are there: `echo $$ > NAME.new; mv NAME.new NAME`. */
async function openFolder() {
	const home = await temporaryHome();
	return {
		cwd: home.path,
		async pidIn(name: string) {
			return Number(await readWhenThere(home.file(name)));
		},
		[Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
	};
}

/** Dead; a process that its new parent has not buried yet is dead all the same. */
const whenGone = async (pid: number) => until(() => isGone(pid));

/** Dead, and its parent knows: for our own child, its exit has been reported. */
const whenBuried = async (pid: number) => until(() => !isThere(pid));

function isThere(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

const report = (name: string) => `echo $$ > ${name}.new; mv ${name}.new ${name}`;

const child = (name: string, source: string) => `sh -c '${report(name)}; ${source}' &`;

test('a command gets its arguments, its input, its folder and no environment but its own', async () => {
	await using folder = await openFolder();
	const exit = await run('cat; pwd; echo "$A-$HOME"; echo "$1" >&2; exit 3', {
		args: ['-c', 'cat; pwd; echo "$A-$HOME"; echo "$1" >&2; exit 3', 'sh', '$(id) "x"'],
		env: {PATH: process.env['PATH'] ?? '', A: 'a'},
		cwd: folder.cwd,
		input: 'in\n',
	});

	expect(exit).toEqual({
		kind: 'exited',
		code: 3,
		stdout: `in\n${folder.cwd}\na-\n`,
		stderr: '$(id) "x"\n',
	});
});

test('a command that a signal ended has no code', async () => {
	expect(await run('kill -9 $$')).toMatchObject({kind: 'exited', code: null});
});

test.for([
	[{command: '/nowhere/at-all'}, 'ENOENT'],
	[{command: '/'}, 'EACCES'],
	[{cwd: '/nowhere'}, 'ENOENT'],
	[{args: ['a\u0000b']}, 'ERR_INVALID_ARG_VALUE'],
] as const)('%j does not start: %s', async ([job, code]) => {
	expect(await run('true', job)).toEqual({kind: 'not-started', code});
});

test('nothing is started for who has given up already', async () => {
	await using folder = await openFolder();
	const job = {cwd: folder.cwd};

	for (const given of [{signal: AbortSignal.abort()}, {killed: AbortSignal.abort()}]) {
		expect(await run('touch started', {...job, ...given})).toEqual({kind: 'aborted'});
	}

	expect(existsSync(`${folder.cwd}/started`)).toBe(false);
});

test.for([
	['keep-start', {kind: 'exited', code: 0, stdout: '12345', stderr: ''}],
	['keep-end', {kind: 'exited', code: 0, stdout: '67890', stderr: ''}],
	[
		'keep-ends',
		{
			kind: 'exited',
			code: 0,
			stdout: '123\n[… 5 bytes left out …]\n90',
			stderr: '',
			stdoutBytes: 10,
		},
	],
	['stop', {kind: 'too-much-output'}],
] as const)('above its limit an output is treated as it was said: %s', async ([above, exit]) => {
	expect(await run('printf 1234567890', {stdout: {limitBytes: 5, above}})).toEqual(exit);
	expect(await run('printf 12345', {stdout: {limitBytes: 5, above}})).toMatchObject({
		kind: 'exited',
		stdout: '12345',
	});
});

test('of a long output both ends are kept, whatever pieces it comes in', async () => {
	const lines = Array.from({length: 100_000}, (_, index) => `${index + 1}\n`).join('');
	const exit = await run(
		'for part in 1 2; do seq $((part * 50000 - 49999)) $((part * 50000)); done',
		{
			stdout: {limitBytes: 100_001, above: 'keep-ends'},
		},
	);

	expect(exit).toEqual({
		kind: 'exited',
		code: 0,
		stdout: `${lines.slice(0, 50_001)}\n[… ${lines.length - 100_001} bytes left out …]\n${lines.slice(-50_000)}`,
		stderr: '',
		stdoutBytes: lines.length,
	});
});

test('a command that prints without end is stopped, or read to the end of its time', async () => {
	expect(await run('yes', {stdout: {limitBytes: 5000, above: 'stop'}})).toEqual({
		kind: 'too-much-output',
	});
	expect(await run('yes >&2', {stderr: {limitBytes: 5000, above: 'stop'}})).toEqual({
		kind: 'too-much-output',
	});
	const drained = await run('yes | head -c 3000000; yes | head -c 3000000 >&2', {
		stderr: {limitBytes: 10, above: 'keep-end'},
	});
	expect(drained).toMatchObject({kind: 'exited', code: 0, stderr: 'y\n'.repeat(5)});
});

test('without a grace the whole group is killed at the timeout, and not before', async () => {
	await using folder = await openFolder();
	const clock = createFakeClock();
	const source = `trap "" TERM; ${child('inner', 'exec sleep 1000')} ${report('outer')}; wait`;
	const exit = runInGroup(shell(source, {cwd: folder.cwd, timeoutMs: 5000}), {clock});
	const pids = [await folder.pidIn('inner'), await folder.pidIn('outer')];

	clock.advance(4999);
	expect(pids.every(pid => process.kill(pid, 0))).toBe(true);
	clock.advance(1);

	expect(await exit).toEqual({kind: 'timeout'});
	await Promise.all(pids.map(whenGone));
});

test('with a grace the group is asked first', async () => {
	await using folder = await openFolder();
	const clock = createFakeClock();
	const source = `trap "touch asked; exit 0" TERM; ${report('up')}; while :; do sleep 0.01; done`;
	const job = shell(source, {cwd: folder.cwd, timeoutMs: 5000, termGraceMs: 2000});
	const exit = runInGroup(job, {clock});
	await folder.pidIn('up');

	clock.advance(5000);

	expect(await exit).toEqual({kind: 'timeout'});
	expect(existsSync(`${folder.cwd}/asked`)).toBe(true);
});

test('who does not listen is killed after the grace, or at once when everything ends', async () => {
	await using folder = await openFolder();
	const stubborn = (name: string) => `trap "" TERM; ${report(name)}; while :; do sleep 0.01; done`;
	const clock = createFakeClock();
	const [signal, killed] = [new AbortController(), new AbortController()];
	const job = {cwd: folder.cwd, termGraceMs: 2000};
	const first = runInGroup(shell(stubborn('one'), {...job, signal: signal.signal}), {clock});
	const second = runInGroup(shell(stubborn('two'), {...job, killed: killed.signal}), {clock});
	const [one, two] = [await folder.pidIn('one'), await folder.pidIn('two')];

	signal.abort();
	clock.advance(1999);
	expect(process.kill(one, 0)).toBe(true);
	clock.advance(1);
	killed.abort();

	expect(await Promise.all([first, second])).toEqual([{kind: 'aborted'}, {kind: 'aborted'}]);
	await Promise.all([one, two].map(whenGone));
});

test('what a command leaves behind in its group ends with it', async () => {
	await using folder = await openFolder();
	const source = `${child('left', 'exec sleep 1000')} until [ -e left ]; do sleep 0.01; done`;

	expect(await run(source, {cwd: folder.cwd})).toMatchObject({kind: 'exited', code: 0});
	await whenGone(await folder.pidIn('left'));
});

/** Leaves a process outside the group that holds our pipes and lives on; says who it is in the file `escaped`. */
const escape = `
const {spawn} = require('node:child_process');
const {writeFileSync, renameSync} = require('node:fs');
const {pid} = spawn('sleep', ['1000'], {detached: true, stdio: 'inherit'});
process.stdout.write('done', () => {
	writeFileSync('new', String(pid));
	renameSync('new', 'escaped');
	process.exit(0);
});
`;

test('how a command exited stands, whoever still holds its pipes and whatever comes then', async () => {
	await using folder = await openFolder();
	const clock = createFakeClock();
	const signal = new AbortController();
	const source = `${report('up')}; exec "$NODE" -e "$ESCAPE"`;
	const job = shell(source, {
		cwd: folder.cwd,
		env: {PATH: process.env['PATH'] ?? '', NODE: process.execPath, ESCAPE: escape},
		timeoutMs: 500,
		signal: signal.signal,
	});
	const exit = runInGroup(job, {clock});
	const pid = await folder.pidIn('up');
	const escaped = await folder.pidIn('escaped');

	try {
		await whenBuried(pid);
		clock.advance(500);
		signal.abort();
		clock.advance(500);

		expect(await exit).toEqual({kind: 'exited', code: 0, stdout: 'done', stderr: ''});
	} finally {
		process.kill(escaped, 'SIGKILL');
	}
});

test('no timer and no listener is left', async () => {
	const fake = createFakeClock();
	const open = new Set<object>();
	const clock: Clock = {
		...fake,
		after(delayMs, callback) {
			const timer = {};
			open.add(timer);
			const cancel = fake.after(delayMs, callback);
			return () => {
				open.delete(timer);
				cancel();
			};
		},
	};
	const signal = new AbortController();
	const killed = new AbortController();
	const given = {signal: signal.signal, killed: killed.signal};

	await runInGroup(shell('true', given), {clock});
	await runInGroup(shell('true', {...given, command: '/nowhere'}), {clock});
	await runInGroup(shell('yes', {...given, stdout: {limitBytes: 1, above: 'stop'}}), {clock});

	expect(open.size).toBe(0);
	expect(getEventListeners(signal.signal, 'abort')).toEqual([]);
	expect(getEventListeners(killed.signal, 'abort')).toEqual([]);
});
