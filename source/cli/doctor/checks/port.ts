import {once} from 'node:events';
import {readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {createServer} from 'node:net';
import {networkInterfaces} from 'node:os';
import {codeOf, messageOf} from '../../../core/errors.ts';
import {isLoopbackHost} from '../../../core/hosts.ts';
import {
	type Check,
	type DoctorWorld,
	failed,
	failedOfStore,
	type CheckResult,
	ok,
	unread,
	warning,
} from './check.ts';

/** The receiver's port: used by svc, free, or used by another process. */
export const port: Check = {
	subject: 'port',
	async look({config, gateway}) {
		if (gateway.kind === 'running') {
			const {webhook, pid, journal_failing: failing, store} = gateway.status;
			if ('url' in webhook) {
				return ok(`the gateway (process ${pid}) listens on ${webhook.url}`);
			}

			return 'refused' in webhook
				? (store?.kind === 'postgres' && failing !== null ? failedOfStore : failed)(
						`the receiver is refused: ${webhook.refused}`,
						'svc gateway status',
					)
				: warning('the receiver is not enabled', 'svc gateway setup --enable');
		}

		if (!config) {
			return unread;
		}

		const {host, port: wanted, enabled, broken} = config.webhook;
		if (broken !== undefined) {
			return failed(broken, 'svc config check');
		}

		if (!enabled) {
			return warning('the receiver is not enabled', 'svc gateway setup --enable');
		}

		return tryPort(host, wanted);
	},
};

/** Listens briefly, which is the only reliable test. */
async function tryPort(host: string, wanted: number): Promise<CheckResult> {
	const place = `${host}:${wanted}`;
	const server = createServer();
	try {
		server.listen({host, port: wanted, exclusive: true});
		await once(server, 'listening');
		return ok(`${place} is free`);
	} catch (error) {
		switch (codeOf(error)) {
			case 'EADDRINUSE': {
				const holder = holderOfPort(wanted);
				return failed(
					`${place} is held by ${holder === undefined ? 'another program' : `process ${holder.pid} (${holder.name})`}`,
					'end that program, or: svc gateway setup --port ANOTHER',
				);
			}
			case 'EACCES':
				return failed(
					`${place} may not be used by this user`,
					'svc gateway setup --port 8644, behind a reverse proxy: svc help reachable',
				);
			case 'EADDRNOTAVAIL':
			case 'ENOTFOUND':
				return failed(
					`${host} is no address of this machine`,
					'svc gateway setup --host 127.0.0.1',
				);
			default:
				return failed(`${place} cannot be listened on: ${messageOf(error)}`, 'svc gateway setup');
		}
	} finally {
		server.close();
	}
}

/** The number and name of the process that listens on a TCP port, if the system reveals it (Linux does for the user's own processes). */
function holderOfPort(wanted: number): {readonly pid: number; readonly name: string} | undefined {
	try {
		const sockets = new Set(
			['/proc/net/tcp', '/proc/net/tcp6']
				.flatMap(path => listenersOn(wanted, textOf(path)))
				.map(inode => `socket:[${inode}]`),
		);
		const pid = readdirSync('/proc').find(
			name => /^\d+$/.test(name) && descriptorsOf(name).some(target => sockets.has(target)),
		);
		return pid === undefined
			? undefined
			: {pid: Number(pid), name: textOf(`/proc/${pid}/comm`).trim()};
	} catch {
		return undefined;
	}
}

const listening = '0A';

/** Inodes of the sockets that listen on a port. @see proc_net_tcp(5) */
export const listenersOn = (wanted: number, table: string): readonly string[] =>
	table
		.split('\n')
		.map(line => line.trim().split(/\s+/))
		.filter(
			([, local = '', , state]) =>
				state === listening && Number.parseInt(local.split(':')[1] ?? '', 16) === wanted,
		)
		.map(columns => columns[9] ?? '');

function descriptorsOf(pid: string): readonly string[] {
	try {
		const folder = `/proc/${pid}/fd`;
		return readdirSync(folder).map(name => {
			try {
				return readlinkSync(`${folder}/${name}`);
			} catch {
				return '';
			}
		});
	} catch {
		// The process belongs to another user.
		return [];
	}
}

function textOf(path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return '';
	}
}

/** Whether remote senders can reach the receiver, by its bound address. Sends no request. */
export const reach: Check = {
	subject: 'reach',
	look(world) {
		const host = boundTo(world);
		if (host === undefined) {
			return world.config ? ok('nothing is received') : unread;
		}

		return reachOf(host, ownAddresses());
	},
};

function boundTo({gateway, config}: DoctorWorld): string | undefined {
	if (gateway.kind === 'running') {
		const {webhook} = gateway.status;
		return 'url' in webhook ? URL.parse(webhook.url)?.hostname.replaceAll(/[[\]]/g, '') : undefined;
	}

	return config?.webhook.enabled ? config.webhook.host : undefined;
}

const advice = 'a tunnel or a reverse proxy brings senders in: svc help reachable';

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/** What an address means for senders. Pure. */
export function reachOf(host: string, addresses: readonly string[]): CheckResult {
	if (isLoopbackHost(host)) {
		return ok(`bound to ${host}: this machine alone`, advice);
	}

	const own = everyAddress.has(host) ? addresses : [host];
	const open = own.filter(isPublic);
	const where = everyAddress.has(host) ? 'every network of this machine' : host;
	return open.length === 0
		? ok(
				`bound to ${where}: senders in the same network reach it${own.length === 0 ? '' : ` (${own.slice(0, 3).join(', ')})`}, those on the internet do not`,
				advice,
			)
		: ok(
				`bound to ${where}; ${open.slice(0, 3).join(', ')} looks public: senders reach it unless a firewall is between`,
				'put HTTPS before it: svc help reachable',
			);
}

/** Not in a private or link-local range. @see RFC 1918, RFC 6598, RFC 3927, RFC 4193 */
const isPublic = (address: string): boolean =>
	!/^(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|fe[89ab]|f[cd]|::1$|localhost)/i.test(
		address,
	);

const ownAddresses = (): readonly string[] =>
	Object.values(networkInterfaces()).flatMap(list =>
		(list ?? [])
			.filter(({internal, address}) => !internal && !/^fe[89ab]/i.test(address))
			.map(({address}) => address),
	);
