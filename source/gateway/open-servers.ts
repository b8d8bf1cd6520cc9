import type {Emit} from '../core/events.ts';
import type {Logger} from '../core/log.ts';
import type {Redact} from '../core/redact.ts';
import type {LiveConfig} from './live-config.ts';
import {createLiveServers, type LiveServers} from './live-servers.ts';
import type {OpenedApprovals} from './open-approvals.ts';
import {createManagerOpener} from './open-manager.ts';
import type {GatewayWorld} from './rooms.ts';

/** Joins the tool servers with the configuration, the approvals and the faces. Nothing connects before `changed()`. */
export function openServers(
	{clock, paths, environment}: GatewayWorld,
	{
		live,
		approvals,
		emit,
		log,
		redact,
	}: {
		readonly live: Pick<LiveConfig, 'current'>;
		readonly approvals: Pick<OpenedApprovals, 'serverChanged' | 'fillIn'>;
		readonly emit: Emit;
		readonly log: Logger;
		readonly redact: Redact;
	},
): LiveServers {
	const opener = createManagerOpener({
		clock,
		log,
		redact,
		paths,
		environment,
		elicit: approvals.fillIn,
	});
	const servers = createLiveServers({
		clock,
		config: () => live.current(),
		openManager: opener.open,
		emit,
		log,
		onTools(change) {
			approvals.serverChanged(change);
		},
	});
	return {
		...servers,
		async [Symbol.asyncDispose]() {
			await servers[Symbol.asyncDispose]();
			await opener[Symbol.asyncDispose]();
		},
	};
}
