import {once} from 'node:events';
import {createServer} from 'node:net';
import {codeOf, messageOf} from '../../../core/errors.ts';
import {type Check, failed, type Found, ok, unread, warning} from './check.ts';
import {holderOfPort} from './port-holder.ts';

/** The receiver's port: ours, free, or held by somebody. */
export const port: Check = {
	subject: 'port',
	async look({config, gateway}) {
		if (gateway.kind === 'running') {
			const {webhook, pid} = gateway.status;
			if ('url' in webhook) {
				return [ok(`the gateway (process ${pid}) listens on ${webhook.url}`)];
			}

			return [
				'refused' in webhook
					? failed(`the receiver is refused: ${webhook.refused}`, 'svc gateway status')
					: warning('the receiver is not enabled', 'svc gateway setup --enable'),
			];
		}

		if (!config) {
			return [unread];
		}

		const {host, port: wanted, enabled, broken} = config.webhook;
		if (broken !== undefined) {
			return [failed(broken, 'svc config check')];
		}

		if (!enabled) {
			return [warning('the receiver is not enabled', 'svc gateway setup --enable')];
		}

		return [await tryPort(host, wanted)];
	},
};

/** Listens for a moment, which nobody can be told a lie about. */
async function tryPort(host: string, wanted: number): Promise<Found> {
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
