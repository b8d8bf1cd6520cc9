import {spawn, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {secret} from '../example.ts';
import {freePort} from '../free-port.ts';
import {makeHome} from '../home.ts';
import {cpuMicrosOf} from '../process-usage.ts';
import {ended, type Server} from './servers.ts';

const signed = {
	match: {
		type: 'payload-hmac-sha256',
		secret,
		parameter: {source: 'header', name: 'X-Hub-Signature-256'},
	},
};

/** The routes of `config.ts` in its words. What it accepts runs a program, since it has no journal; the shortest one. */
const hooks = [
	{
		id: 'accept',
		'execute-command': '/bin/true',
		'success-http-response-code': 202,
		'trigger-rule': signed,
	},
	{
		id: 'ignored',
		'execute-command': '/bin/true',
		'trigger-rule-mismatch-http-response-code': 200,
		'trigger-rule': {
			and: [
				signed,
				{
					match: {
						type: 'value',
						value: 'refs/heads/somewhere-else',
						parameter: {source: 'payload', name: 'ref'},
					},
				},
			],
		},
	},
];

/** Whether adnanh/webhook (Debian: `webhook`) is installed. */
export const hasAdnanh = (): boolean =>
	spawnSync('webhook', ['-version'], {encoding: 'utf8'}).stdout?.startsWith('webhook version') ??
	false;

/** adnanh/webhook, a webhook server in Go, with the same routes. */
export async function startAdnanh(): Promise<Server> {
	const home = makeHome('');
	const file = join(home.path, 'hooks.json');
	writeFileSync(file, JSON.stringify(hooks));
	const port = await freePort();
	const child = spawn(
		'webhook',
		['-hooks', file, '-ip', '127.0.0.1', '-port', String(port), '-urlprefix', 'webhooks'],
		{stdio: 'ignore'},
	);
	await answering(port);
	return {
		port,
		cpuMicros: async () => cpuMicrosOf(child.pid ?? 0),
		async [Symbol.asyncDispose]() {
			child.kill('SIGTERM');
			await ended(child);
			home[Symbol.dispose]();
		},
	};
}

const triesMs = 100;
const maxTries = 50;

async function answering(port: number): Promise<void> {
	for (let tries = 0; tries < maxTries; tries++) {
		const isThere = await new Promise<boolean>(resolve => {
			const socket = connect({port, host: '127.0.0.1'}, () => {
				socket.destroy();
				resolve(true);
			});
			socket.on('error', () => {
				setTimeout(resolve, triesMs, false);
			});
		});
		if (isThere) {
			return;
		}
	}

	throw new Error(`adnanh/webhook does not listen on port ${port}`);
}
