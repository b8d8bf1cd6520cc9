import {expect, test} from 'vitest';
import {createFakePort} from '../../helpers/fake-port.ts';
import {startSvc} from '../../helpers/svc.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {serveControl} from '../command.ts';

test('Ctrl-C ends a search of the history at once, with nothing half printed', async () => {
	await using home = await temporaryHome();
	const asked = Promise.withResolvers<void>();
	const port = createFakePort();
	const searchDeliveries = async () => {
		asked.resolve();
		return new Promise<never>(() => {});
	};

	await using control = await serveControl(home.path, {...port, searchDeliveries});
	expect(control).toBeDefined();
	await using svc = startSvc(['deliveries', 'list', '--filter', 'nowhere'], {home: home.path});
	await asked.promise;
	svc.kill('SIGINT');
	// Ended by the signal itself, which a shell reports as 130.
	expect(await svc.finished).toEqual({code: null, stdout: '', stderr: ''});
});
