import {mkdtemp, readFile, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createTerminalModes} from '../../source/terminal/modes.ts';
import {createDesktop} from '../../source/tui/desktop.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

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
