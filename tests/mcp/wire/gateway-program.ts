/** Connects to a stubborn server, prints the process numbers that came of it, and waits to be killed. Arguments: ledger, log. */
import {Client} from '@modelcontextprotocol/client';
import {systemClock} from '../../../source/core/clock.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createTransportFactory} from '../../../source/mcp/wire/transport-factory.ts';
import {ownServer} from '../servers/stdio-server.ts';

const [mcpProcesses = '', mcpStderrLog = ''] = process.argv.slice(2);
const transports = createTransportFactory({
	clock: systemClock,
	log: silentLogger,
	redact: text => text,
	paths: {mcpProcesses, mcpStderrLog},
	environment: {PATH: process.env['PATH'] ?? ''},
});
const opened = await transports.open(ownServer('stubborn'), {
	signal: new AbortController().signal,
	secrets: [],
});
const client = new Client({name: 'test', version: '1.0.0'});
await client.connect(opened.transport);
const {content} = await client.callTool({name: 'about'});
const [part] = content;
process.stdout.write(part?.type === 'text' ? `${part.text}\n` : '\n');
await client.callTool({name: 'hang'});
