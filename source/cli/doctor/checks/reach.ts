import {networkInterfaces} from 'node:os';
import {isLoopbackHost} from '../../../core/loopback.ts';
import {type Check, type DoctorWorld, type Found, ok, unread} from './check.ts';

/** Whether senders elsewhere get at the receiver, by what it is bound to. Nobody is asked. */
export const reach: Check = {
	subject: 'reach',
	look(world) {
		const host = boundTo(world);
		if (host === undefined) {
			return [world.config ? ok('nothing is received') : unread];
		}

		return [reachOf(host, ownAddresses())];
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
export function reachOf(host: string, addresses: readonly string[]): Found {
	if (isLoopbackHost(host)) {
		return {...ok(`bound to ${host}: this machine alone`), mend: advice};
	}

	const own = everyAddress.has(host) ? addresses : [host];
	const open = own.filter(isPublic);
	const where = everyAddress.has(host) ? 'every network of this machine' : host;
	return open.length === 0
		? {
				...ok(
					`bound to ${where}: senders in the same network reach it${own.length === 0 ? '' : ` (${own.slice(0, 3).join(', ')})`}, those on the internet do not`,
				),
				mend: advice,
			}
		: {
				...ok(
					`bound to ${where}; ${open.slice(0, 3).join(', ')} looks public: senders reach it unless a firewall is between`,
				),
				mend: 'put HTTPS before it: svc help reachable',
			};
}

/** Not of a network that only its own machines see. @see RFC 1918, RFC 6598, RFC 3927, RFC 4193 */
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
