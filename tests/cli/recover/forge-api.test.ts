import {chmod} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {createForgeApi} from '../../../source/cli/recover/forge-api.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

test('a client that complains without end is ended long before its time is over', async () => {
	await using folder = await temporaryHome({gh: '#!/bin/sh\nexec yes complaint >&2\n'});
	const cli = folder.file('gh');
	await chmod(cli, 0o755);
	const api = createForgeApi(
		{
			cli,
			environment: {PATH: process.env['PATH'] ?? ''},
			signal: new AbortController().signal,
			clean: text => text,
		},
		{clock: createFakeClock()},
	);
	await expect(api.get('user')).rejects.toMatchObject({
		code: 'forge_failed',
		message: `Cannot read "user" of the code host: "${cli}" said more than can be read and was ended`,
	});
});
