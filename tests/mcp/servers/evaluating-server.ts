import {realpathSync} from 'node:fs';
import {resolve} from 'node:path';
import type {ServerSandbox} from '../../../source/config/endpoint-settings.ts';
import type {stdioServer} from './stdio-server.ts';

/** What Node and the programs of the tests need. */
export const programs = [realpathSync(resolve('node_modules')), realpathSync(process.execPath)];

/** A server in a sandbox of its own. */
export const inSandbox = (
	server: ReturnType<typeof stdioServer>,
	{read = [], write = [], hosts = []}: Partial<ServerSandbox> = {},
	env: Readonly<Record<string, string>> = {},
) => ({
	...server,
	endpoint: {
		...server.endpoint,
		env,
		sandbox: {read: [...programs, ...read], write, hosts},
	},
});

/** The source of a tool server in a few lines, for `node -e`: its tool `run` evaluates an expression. */
export const evaluates = `
const lines = require('node:readline').createInterface({input: process.stdin});
const answer = (id, result) => console.log(JSON.stringify({jsonrpc: '2.0', id, result}));
lines.on('line', async line => {
	const {id, method, params} = JSON.parse(line);
	if (method === 'initialize') answer(id, {protocolVersion: params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 'e', version: '1'}});
	if (method === 'tools/list') answer(id, {tools: [{name: 'run', inputSchema: {type: 'object'}}]});
	if (method === 'tools/call') {
		let text;
		try { text = String(await eval(params.arguments.code)); } catch (error) { text = error.code ?? error.cause?.code ?? error.message; }
		answer(id, {content: [{type: 'text', text}]});
	}
});`;
