import {mkdtemp, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createTerminalModes} from '../../../source/terminal/modes.ts';
import {createDesktop} from '../../../source/tui/shell/desktop.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

test('a kept text lies in the cache of the home, for its owner alone, the newest in place of the last', async () => {
	const home = await mkdtemp(join(tmpdir(), 'svc-desktop-'));
	try {
		const desktop = createDesktop(
			{
				clock: createFakeClock(0),
				stdout: process.stdout,
				modes: createTerminalModes(() => {}),
				suspend: async task => task(),
				holdInterrupts: () => () => {},
				leave() {},
			},
			{
				editor: 'false',
				pager: 'false',
				home,
				environment: {},
				examine: async () => 'all is well\n',
				readManual: () => undefined,
				manualSettings: () => [],
				givesPromptBack: false,
				signal: new AbortController().signal,
			},
		);
		await desktop.keep('edited-abc.json', 'first\n');
		const path = await desktop.keep('edited-abc.json', 'second\n');

		expect(path).toBe(join(home, 'cache', 'edited-abc.json'));
		expect(await readFile(path, 'utf8')).toBe('second\n');
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		expect((await stat(join(home, 'cache'))).mode & 0o777).toBe(0o700);
	} finally {
		await rm(home, {recursive: true, force: true});
	}
});

test('a page of the manual goes to the pager, laid out; one that is not there does not', async () => {
	const home = await mkdtemp(join(tmpdir(), 'svc-desktop-'));
	try {
		const out = join(home, 'page.txt');
		const desktop = createDesktop(
			{
				clock: createFakeClock(0),
				stdout: process.stdout,
				modes: createTerminalModes(() => {}),
				suspend: async task => task(),
				holdInterrupts: () => () => {},
				leave() {},
			},
			{
				editor: 'false',
				pager: `sh -c 'cat "$@" > ${out}' --`,
				home,
				environment: {PATH: process.env['PATH']},
				givesPromptBack: false,
				examine: async () => 'all is \u001B[2Jwell\n',
				manualSettings: () => [],
				readManual: topic =>
					topic === 'runs' ? '# Runs\n\nWhat the **agents** do.\u001B[2J' : undefined,
				signal: new AbortController().signal,
			},
		);
		expect(await desktop.manual('nowhere')).toBe(false);
		expect(await desktop.manual('runs')).toBe(true);
		const page = await readFile(out, 'utf8');
		expect(page).not.toContain('\u001B');
		expect(page).toMatch(/^Runs\n[^*#]*What the agents do\./);

		await desktop.pageHealth(() => true);
		const health = await readFile(out, 'utf8');
		expect(health).toMatch(/^all is .*well\n$/);
		expect(health).not.toContain('\u001B');
	} finally {
		await rm(home, {recursive: true, force: true});
	}
});

test('of a long file the last whole lines go to the pager, cleaned', async () => {
	const home = await mkdtemp(join(tmpdir(), 'svc-desktop-'));
	try {
		const out = join(home, 'page.txt');
		const log = join(home, 'gateway.log');
		await writeFile(log, `${'old line\n'.repeat(900_000)}\u001B[31mred\nlast\n`);
		const desktop = createDesktop(
			{
				clock: createFakeClock(0),
				stdout: process.stdout,
				modes: createTerminalModes(() => {}),
				suspend: async task => task(),
				holdInterrupts: () => () => {},
				leave() {},
			},
			{
				editor: 'false',
				pager: `sh -c 'tail -n 2 "$@" > ${out}' --`,
				home,
				environment: {PATH: process.env['PATH']},
				examine: async () => 'all is well\n',
				readManual: () => undefined,
				manualSettings: () => [],
				givesPromptBack: false,
				signal: new AbortController().signal,
			},
		);
		await desktop.pageFile(log);

		expect(await readFile(out, 'utf8')).toBe('␛[31mred\nlast\n');
		await expect(desktop.pageFile(join(home, 'none'))).rejects.toThrow('ENOENT');
	} finally {
		await rm(home, {recursive: true, force: true});
	}
});
