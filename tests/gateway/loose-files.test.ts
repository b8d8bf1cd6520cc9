import {chmod} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';

test('what others can get at is warned of, in the folders of the profiles that are served, too', async () => {
	await using home = await gatewayHome({config: {gateway: {multiplex_profiles: true}}});
	await home.write('profiles/work/.env', 'HOOK=secret\n');
	const loose = [home.file('webhook_subscriptions.json'), home.file('profiles/work/.env')];
	for (const file of loose) {
		await chmod(file, 0o644);
	}

	await using gateway = await startTestGateway({home});
	for (const file of loose) {
		expect(gateway.log.join('\n')).toContain(
			`Other users can get at "${file}": chmod 600 "${file}"`,
		);
	}
});
