import {once} from 'node:events';
import {createServer} from 'node:http';
import {expect, test} from 'vitest';
import {contract} from '../../source/gateway/contract/contract.ts';
import {createControlCalls} from '../../source/gateway/control/control-calls.ts';
import type {GatewayCommands} from '../../source/gateway/port.ts';
import {command} from '../cli/command.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {sampleDelivery} from '../store/samples.ts';

/** A gateway of some version: answers each path with a value; what it has none for is 404 as the contract says. */
async function answering(
	answers: Readonly<Record<string, unknown>>,
	otherwise: unknown = {error: 'Not found', code: 'not_found'},
) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome({'run/gateway.pid': '4711\n'}));
	const server = createServer(({url = ''}, response) => {
		const answer = answers[url.split('?')[0] ?? ''];
		response.writeHead(answer === undefined ? 404 : 200);
		response.end(JSON.stringify(answer ?? otherwise));
	});
	const socket = home.file('run/gateway.sock');
	server.listen(socket);
	await once(server, 'listening');
	stack.defer(async () => {
		server.closeAllConnections();
		server.close();
		await once(server, 'close');
	});
	return {
		home: home.path,
		calls: createControlCalls(socket),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

const {body: _body, ...stored} = sampleDelivery();

test.for<readonly [string, string, unknown, (calls: GatewayCommands) => Promise<unknown>, string]>([
	[
		'has a field of another type',
		'/v1/runs/7/cancel',
		'yes',
		calls => calls.cancelRun(7),
		'"cancelRun": must be true or false, not text',
	],
	[
		'lacks a field, deep inside',
		'/v1/deliveries',
		[{...stored, trace: [{step: 'route', verdict: 'pass'}]}],
		calls => calls.listDeliveries({limit: 9}),
		'"listDeliveries": 0.trace.0.detail must be text, not empty',
	],
	[
		'has a word that is not known',
		'/v1/deliveries/x',
		{...stored, outcome: 'postponed'},
		calls => calls.getDelivery('x'),
		'"getDelivery": outcome "postponed" is not known',
	],
	[
		'is nothing where something must be',
		'/v1/nothing',
		undefined,
		calls => calls.listRoutes(),
		'"listRoutes": must be a list, not empty',
	],
])(
	'an answer that %s is refused with the command and the field',
	async ([, path, answer, ask, words]) => {
		await using gateway = await answering({[path]: answer});
		await expect(ask(gateway.calls)).rejects.toMatchObject({
			code: 'gateway_differs',
			message: expect.stringContaining(`Cannot read what the gateway answers to ${words}`),
		});
	},
);

test('what a newer gateway answers besides passes, and is kept', async () => {
	const later = {...stored, trace: stored.trace.map(step => ({...step, tookMs: 1})), colour: 'red'};
	await using gateway = await answering({
		'/v1/deliveries': [later],
		'/v1/deliveries/x': {...later, body_base64: 'e30='},
	});
	expect(await gateway.calls.listDeliveries({limit: 9})).toEqual([later]);
	expect(await gateway.calls.getDelivery('x')).toEqual({
		...later,
		body: new Uint8Array(Buffer.from('{}')),
	});
	expect(await gateway.calls.getDelivery('y')).toBeUndefined();
});

test('a gateway whose status is of another version can still be asked for what is not', async () => {
	await using gateway = await answering({'/v1/status': {pid: 7}, '/v1/deliveries': [stored]});
	expect(await command(['deliveries', 'list', '--json'], gateway)).toMatchObject({code: 0});
	expect(await command(['gateway', 'status'], gateway)).toMatchObject({
		code: 1,
		stderr: expect.stringMatching(
			/answers to "status": \w+ must be \w+, not empty; .*\(gateway_differs\)/,
		),
	});
});

test('what a command does not take is refused before it is sent', async () => {
	await using gateway = await answering({});
	await expect(
		gateway.calls.settleApproval(1, {answer: {choice: 'deny'}, by: ''}),
	).rejects.toMatchObject({
		code: 'bad_request',
		message: 'Cannot call "settleApproval" of the gateway: by must not be empty',
	});
});

test('a fake port has every command, and rejects those that nobody made', async () => {
	const port = createFakePort();
	for (const name of Object.keys(contract)) {
		expect(port).toHaveProperty(name, expect.any(Function));
	}
});

test('a command that an older gateway does not have says that it is of another version', async () => {
	await using older = await answering({}, {error: 'No such operation', code: 'unknown_url'});
	await expect(older.calls.reload()).rejects.toMatchObject({
		code: 'gateway_differs',
		message: expect.stringMatching(/^Cannot call "reload" of the gateway: .*"svc gateway stop"/),
	});
});
