import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Config} from '../../../config/config.ts';
import {ensureHome, homePaths} from '../../../config/home-paths.ts';
import type {ToolServerConfig} from '../../../config/tool-server.ts';
import {messageOf} from '../../../core/errors.ts';
import {countOf} from '../../../core/names.ts';
import {asWord, loginCommand} from '../../../core/shell-words.ts';
import type {GatewayStatus} from '../../../gateway/port.ts';
import type {Context} from '../../console/context.ts';
import {type Check, failed, type CheckResult, ok, unknown, unread, warning} from './check.ts';

/** Tool servers: their state in the running gateway, else each is briefly connected to, in a temporary folder. */
export const servers: Check = {
	subject: 'server',
	asks: true,
	async look({gateway, config, context}, signal) {
		if (gateway.kind === 'running') {
			const {profile} = gateway.status;
			const found = gateway.status.servers.map(server => stateOf(server, profile));
			return found.length === 0 ? none : found;
		}

		if (!config) {
			return unread;
		}

		const wanted = [...config.toolServers.values()].filter(({enabled}) => enabled);
		return wanted.length === 0
			? none
			: Promise.all(wanted.map(async server => look(server, {context, config, signal})));
	},
};

const none = ok('none is configured');

const slowMs = 8000;

async function look(
	server: ToolServerConfig,
	{
		context,
		config,
		signal,
	}: {readonly context: Context; readonly config: Config; readonly signal: AbortSignal},
): Promise<CheckResult> {
	const {name, endpoint} = server;
	if (endpoint.transport !== 'stdio' && endpoint.oauth) {
		// Not connected, because that could renew its login, which would have to be stored.
		return unknown(
			'it takes a login, and is not connected to while no gateway runs',
			`svc mcp test ${asWord(name)}`,
			name,
		);
	}

	const deadline = new AbortController();
	const cancel = context.clock.after(slowMs, () => deadline.abort());
	const folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
	try {
		const paths = homePaths({environment: {SVC_HOME: folder}});
		ensureHome(paths);
		const {tryServer} = await import('../../mcp/test-server.ts');
		const {
			server: {tools},
		} = await tryServer(context, server, {
			config,
			paths,
			warn() {},
			signal: AbortSignal.any([signal, deadline.signal]),
		});
		return ok(`answers, ${countOf(tools.length, 'tool')}`, undefined, name);
	} catch (error) {
		return deadline.signal.aborted || signal.aborted
			? warning(
					`did not answer within ${slowMs / 1000} s; the first start of one may take longer`,
					`svc mcp test ${asWord(name)}`,
					name,
				)
			: failed(
					messageOf(error),
					`see mcp_servers.${name} in config.yaml, then: svc mcp test ${asWord(name)}`,
					name,
				);
	} finally {
		cancel();
		await rm(folder, {recursive: true, force: true});
	}
}

/** A server's state in the gateway. */
function stateOf(
	{name, profile, status, tools, reason}: GatewayStatus['servers'][number],
	own: string,
): CheckResult {
	const of = profile === 'default' ? name : `${name} of ${profile}`;
	const found = [status, countOf(tools, 'tool'), ...(reason === null ? [] : [reason])].join(', ');
	switch (status) {
		case 'needs login':
			return failed(
				found,
				loginCommand({profile: profile === 'default' ? own : profile, name}),
				of,
			);
		case 'failed':
		case 'parked':
			return failed(found, `svc mcp test ${asWord(name)}`, of);
		default:
			return ok(found, undefined, of);
	}
}
