import {expect, test} from 'vitest';
import {startTestGateway} from '../helpers/gateway.ts';
import {ownServer} from '../mcp/servers/stdio-server.ts';

/** Programs that really run: one answers, one never says a word. */
const servers = () => {
	const entry = ({endpoint}: ReturnType<typeof ownServer>) => ({
		command: endpoint.command,
		args: endpoint.args,
	});
	return {files: entry(ownServer('plain')), slow: entry(ownServer('deaf'))};
};

test('a run waits for the servers of its toolsets alone, and says while it waits for which', async () => {
	await using gateway = await startTestGateway({
		config: {mcp_servers: servers(), model: {provider: 'offline'}},
		subscriptions: {
			files: {prompt: '/tool mcp__files__echo {"message":"still here"}', toolsets: ['mcp-files']},
			none: {prompt: 'hello', toolsets: []},
			all: {prompt: 'hello'},
		},
	});
	const status = () =>
		gateway.port.getState().servers.find(({name}) => name === 'slow')?.status ?? 'unknown';

	await gateway.until(state => state.servers.some(({name}) => name === 'slow'));
	await gateway.send('none', {});
	expect((await gateway.ended(1)).state).toBe('done');
	await gateway.send('files', {});
	const {state, fullAnswer, transcript} = await gateway.ended(2);
	expect({state, slow: status()}).toEqual({state: 'done', slow: 'connecting'});
	expect(fullAnswer).toContain('still here');
	expect(transcript.map(({text}) => text).join(' ')).not.toContain('slow');

	await gateway.send('all', {});
	const said = 'Waits for tool server "slow" to connect, 60 s at most: svc mcp list';
	const waiting = await gateway.until(({progress}) =>
		(progress[3] ?? []).some(({text}) => text === said),
	);
	expect(waiting.runs.find(({id}) => id === 3)?.state).toBe('running');
	// Entries are written together, a moment later.
	await expect
		.poll(async () => (await gateway.port.getRun(3))?.transcript.map(({text}) => text))
		.toContain(said);

	await gateway.port.cancelRun(3);
	expect((await gateway.ended(3)).state).toBe('cancelled');
});
