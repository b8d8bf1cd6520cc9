import {expect, test} from 'vitest';
import {createControlCalls} from '../../source/gateway/control/control-calls.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startTestGateway} from '../helpers/gateway.ts';

const linkTo = (config: unknown, name = 'crm'): string =>
	`svc://mcp/install?name=${name}&config=${Buffer.from(JSON.stringify(config)).toString('base64url')}`;

const program = linkTo({command: process.execPath, args: ['-e', ''], trust: 'full'});

test('over the control API a link is put before a person, and nothing is installed', async () => {
	await using running = await startTestGateway();
	const before = await running.home.read('config.yaml');
	const calls = createControlCalls(running.paths.socket);

	const offered = await calls.offerInstall({link: program});

	expect(offered).toMatchObject({name: 'crm', link: program});
	expect(offered.expiresAt - offered.askedAt).toBe(600_000);
	const state = await running.until(({installs = []}) => installs.length > 0);
	// A link may hold a secret, and events are written to logs.
	const {link, ...waiting} = offered;
	expect(state.installs).toEqual([waiting]);
	expect(JSON.stringify(running.events)).not.toContain(link);
	expect(running.log.join('\n')).toContain('A link asks for tool server "crm"');
	expect(await calls.offerInstall({link: program})).toEqual(offered);
	expect(await calls.listInstalls()).toEqual([offered]);
	expect(await running.home.read('config.yaml')).toBe(before);

	expect(await calls.dismissInstall(offered.id)).toBe(true);
	expect(await calls.dismissInstall(offered.id)).toBe(false);
	await running.until(({installs}) => installs?.length === 0);
});

test('a person who saw it installs it: untrusted, with its name typed for a program, and the gateway knows it at once', async () => {
	await using running = await startTestGateway();
	const {port} = running;
	await port.offerInstall({link: program});

	await expect(port.installServer({link: program})).rejects.toMatchObject({
		code: 'confirmation_needed',
	});
	await expect(
		port.installServer({link: program, name: 'other', typedName: 'crm'}),
	).rejects.toMatchObject({code: 'confirmation_needed'});
	await port.installServer({link: program, typedName: 'crm'});

	const state = await running.until(({servers}) => servers.some(({name}) => name === 'crm'));
	expect(state.servers.find(({name}) => name === 'crm')?.trust).toBe('untrusted');
	expect(state.installs).toEqual([]);
	await expect(port.installServer({link: program, typedName: 'crm'})).rejects.toMatchObject({
		code: 'server_exists',
	});
	expect(await port.reviewInstall({link: program})).toMatchObject({
		exists: true,
		freeName: 'crm-2',
	});
});

test('five links wait at most, each for ten minutes; what is no link does not', async () => {
	const clock = createFakeClock();
	await using running = await startTestGateway({clock});
	const {port} = running;
	for (let index = 0; index < 5; index += 1) {
		// oxlint-disable-next-line no-await-in-loop -- in their order
		await port.offerInstall({link: linkTo({url: 'https://a.example'}, `s${index}`)});
	}

	const sixth = linkTo({url: 'https://a.example'}, 'sixth');
	await expect(port.offerInstall({link: sixth})).rejects.toMatchObject({code: 'too_many_links'});
	clock.advance(600_001);
	expect(await port.listInstalls()).toEqual([]);
	await port.offerInstall({link: sixth});
	expect(await port.listInstalls()).toHaveLength(1);
	await expect(port.offerInstall({link: 'svc://mcp/install?name=a'})).rejects.toMatchObject({
		code: 'missing_config',
	});
});
