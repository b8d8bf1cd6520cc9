import {stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {createStderrLog} from '../../../source/mcp/wire/stderr-log.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

test('above 5 MB the log is set aside, once', async () => {
	await using home = await temporaryHome({log: 'x'.repeat(5 * 1024 * 1024 + 1), 'log.1': 'old'});
	const log = createStderrLog({path: home.file('log'), clock: createFakeClock()});
	log.write('crm', 'hello');
	await log[Symbol.asyncDispose]();

	expect(await home.read('log')).toBe('1970-01-01T00:00:00.000Z [crm] hello\n');
	expect((await stat(home.file('log'))).mode & 0o777).toBe(0o600);
	expect((await stat(home.file('log.1'))).size).toBe(5 * 1024 * 1024 + 1);
});

test('what comes faster than the disk takes it is dropped and counted', async () => {
	await using home = await temporaryHome();
	const log = createStderrLog({path: home.file('log'), clock: createFakeClock()});
	for (let line = 0; line < 5000; line++) {
		log.write('crm', String(line));
	}

	await log[Symbol.asyncDispose]();
	log.write('crm', 'later');
	await log[Symbol.asyncDispose]();
	const lines = (await home.read('log')).split('\n');

	expect(lines.length).toBeLessThan(1100);
	expect(lines.some(line => /^\d+ lines were dropped$/.test(line))).toBe(true);
});

test('a place that cannot be written costs nothing but the lines', async () => {
	await using home = await temporaryHome();
	const log = createStderrLog({path: home.file('no/such/folder'), clock: createFakeClock()});
	log.write('crm', 'hello');

	await expect(log[Symbol.asyncDispose]()).resolves.toBeUndefined();
});
