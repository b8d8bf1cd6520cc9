import {createSampler} from '../../agent/sampler.ts';
import type {Authorities} from '../../config/authorities.ts';
import type {Emit} from '../../core/events.ts';
import type {Logger} from '../../core/log.ts';
import type {Redact} from '../../core/redact.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveConfig} from '../live-config.ts';
import type {LiveModel} from '../live-model.ts';
import type {GatewayWorld} from '../rooms.ts';
import {createLiveServers, type LiveServers} from './live-servers.ts';
import {createManagerOpener} from './open-manager.ts';

export type OpenedServers = LiveServers & {
	/** Tokens of logins, to be hidden; a new array when there are more. */
	readonly secrets: () => readonly string[];
};

/** Joins the tool servers with the configuration, the approvals and the faces. Nothing connects before `changed()`. */
export function openServers(
	{clock, paths, environment}: GatewayWorld,
	{
		live,
		model,
		authorities,
		approvals,
		emit,
		log,
		redact,
	}: {
		readonly live: Pick<LiveConfig, 'current'>;
		readonly model: Pick<LiveModel, 'current'>;
		readonly authorities: Authorities;
		readonly approvals: Pick<OpenedApprovals, 'serverChanged' | 'fillIn'>;
		readonly emit: Emit;
		readonly log: Logger;
		readonly redact: Redact;
	},
): OpenedServers {
	const opener = createManagerOpener({
		clock,
		log,
		redact,
		paths,
		environment,
		authorities,
		elicit: approvals.fillIn,
		sample: createSampler({model: name => model.current(name), redact}),
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
		secrets: () => opener.secrets(),
		async [Symbol.asyncDispose]() {
			await servers[Symbol.asyncDispose]();
			await opener[Symbol.asyncDispose]();
		},
	};
}
