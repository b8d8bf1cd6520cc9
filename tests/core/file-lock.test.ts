// @module-tag slow
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempDisposableSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {codeOf, messageOf} from '../../source/core/errors.ts';
import {lockFile, withFileLock} from '../../source/core/file-lock.ts';
import {lockersOf, lockHolder} from '../../source/core/lock-holder.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const temporary = () => mkdtempDisposableSync(join(tmpdir(), 'svc-lock-'));

const holderScript = `
	const {lockFile} = await import(${JSON.stringify(new URL('../../source/core/file-lock.ts', import.meta.url).href)});
	const said = lockFile(process.argv[1]) ? 'held' : 'busy';
	// A lock belongs to the process, not to a variable: without this line a collection frees it some day.
	gc();
	console.log(said);
	process.stdin.on('end', () => process.exit()).resume();
`;

/** A process that tries to take the lock, says how that went, and lives until it is killed or disposed of. */
async function startHolder(path: string) {
	const child = spawn(
		process.execPath,
		['--expose-gc', '--input-type=module', '-e', holderScript, path],
		{
			stdio: ['pipe', 'pipe', 'inherit'],
		},
	);
	const exit = once(child, 'exit');
	const [said] = await once(createInterface(child.stdout), 'line');
	return {
		said: String(said),
		pid: child.pid,
		async end(signal: NodeJS.Signals) {
			child.kill(signal);
			await exit;
		},
		async [Symbol.asyncDispose]() {
			child.stdin.end();
			await exit;
		},
	};
}

test('a lock is held once, in this process too, until it is disposed of', () => {
	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	const first = lockFile(path);
	expect(first).toBeDefined();
	expect(lockFile(path)).toBeUndefined();
	first?.[Symbol.dispose]();
	first?.[Symbol.dispose]();
	using second = lockFile(path);
	expect(second).toBeDefined();
});

test('another process sees it, also after this process has tried a second time', async () => {
	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	using lock = lockFile(path);
	expect(lock).toBeDefined();
	// Opening and closing the file here would quietly give the lock away (POSIX), hence this order.
	expect(lockFile(path)).toBeUndefined();
	await using other = await startHolder(path);
	expect(other.said).toBe('busy');
});

test('a lock of a process that is killed with SIGKILL is free at once', async () => {
	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	await using holder = await startHolder(path);
	expect(holder.said).toBe('held');
	expect(lockFile(path)).toBeUndefined();
	await holder.end('SIGKILL');
	using lock = lockFile(path);
	expect(lock).toBeDefined();
});

test('the system names the process that holds it, where it tells', async ({skip}) => {
	if (process.platform !== 'linux') {
		skip('/proc/locks is of Linux');
	}

	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	await using holder = await startHolder(path);
	expect(lockHolder(path)).toBe(holder.pid);
});

const locks = `1: POSIX  ADVISORY  READ 11 fe:00:77 128 128
2: POSIX  ADVISORY  WRITE 12 fe:01:77 1073741824 1073742335
3: POSIX  ADVISORY  WRITE 13 103:100f:77 0 EOF
3: -> POSIX  ADVISORY  WRITE 14 fe:00:77 0 EOF
4: OFDLCK ADVISORY  WRITE -1 fe:00:77 0 EOF
5: POSIX  ADVISORY  WRITE 15 fe:00:78 0 EOF
`;

test.each([
	['a small device', {dev: 0xfe_00, ino: 77}, [11, 14]],
	['its neighbour', {dev: 0xfe_01, ino: 77}, [12]],
	['a large number', {dev: 0x1_01_03_0f, ino: 77}, [13]],
	['another file', {dev: 0xfe_00, ino: 78}, [15]],
	['another device', {dev: 0x30, ino: 77}, []],
])('a file is known by its device and its inode: %s', (_, file, pids) => {
	expect(lockersOf(file, locks)).toEqual(pids);
});

test('a link to the folder names the same lock', () => {
	using folder = temporary();
	using outer = temporary();
	symlinkSync(folder.path, join(outer.path, 'link'));
	using lock = lockFile(join(folder.path, 'a.lock'));
	expect(lock).toBeDefined();
	expect(lockFile(join(outer.path, 'link', 'a.lock'))).toBeUndefined();
});

test('the lock file is private and stands alone', () => {
	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	using lock = lockFile(path);
	expect(lock).toBeDefined();
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(readdirSync(folder.path)).toEqual(['a.lock']);
});

test('a file that cannot be a lock is an error with a name, not a lock that nobody holds', () => {
	using folder = temporary();
	const junk = join(folder.path, 'junk');
	writeFileSync(junk, 'not a database '.repeat(100));
	for (const path of [junk, folder.path, join(folder.path, 'missing', 'a.lock')]) {
		let thrown: unknown;
		try {
			lockFile(path);
		} catch (error) {
			thrown = error;
		}

		expect(codeOf(thrown)).toBe('lock_failed');
		expect(messageOf(thrown)).toContain(path);
	}
});

test('critical sections of one process follow each other', async () => {
	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	const steps: string[] = [];
	const section = (name: string) =>
		withFileLock(
			path,
			async () => {
				steps.push(`${name} in`);
				await new Promise(resolve => {
					setImmediate(resolve);
				});
				steps.push(`${name} out`);
				return name;
			},
			{waitMs: 30_000, clock: systemClock},
		);
	expect(await Promise.all([section('a'), section('b')])).toEqual(['a', 'b']);
	expect(steps).toEqual(['a in', 'a out', 'b in', 'b out']);
});

test('waiting for a lock ends after `waitMs` and says who is in the way', async () => {
	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	using lock = lockFile(path);
	expect(lock).toBeDefined();
	const clock = createFakeClock();
	const outcome = withFileLock(path, () => 'never', {waitMs: 100, clock}).catch(codeOf);
	for (let turn = 0; turn < 20; turn += 1) {
		clock.advance(15);
		// oxlint-disable-next-line no-await-in-loop -- one turn of the loop per step of the clock
		await new Promise(resolve => {
			setImmediate(resolve);
		});
	}

	expect(await outcome).toBe('lock_timeout');
});

test('a task that throws gives the lock back', async () => {
	using folder = temporary();
	const path = join(folder.path, 'a.lock');
	const failing = withFileLock(
		path,
		() => {
			throw new Error('no');
		},
		{waitMs: 0, clock: systemClock},
	);
	await expect(failing).rejects.toThrow('no');
	using lock = lockFile(path);
	expect(lock).toBeDefined();
});
