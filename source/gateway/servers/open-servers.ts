import {createSampler} from '../../agent/sampler.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import {createLiveServers, type LiveServers} from './live-servers.ts';
import {createManagerOpener} from './open-manager.ts';

export type OpenedServers = LiveServers & {
	/** Tokens of logins, to be hidden; a new array when there are more. */
	readonly secrets: () => readonly string[];
};

/** Joins the tool servers with the configuration, the approvals and the faces. Nothing connects before `changed()`. */
export function openServers(
	world: RoomWorld,
	{
		model,
		approvals,
	}: {
		readonly model: Pick<LiveModel, 'current'>;
		readonly approvals: Pick<OpenedApprovals, 'toolsChanged' | 'fillIn'>;
	},
): OpenedServers {
	const {clock, live, emit, redact, paths, environment, authorities} = world;
	const log = world.log.from('mcp');
	const opener = createManagerOpener({
		clock,
		log,
		redact,
		paths,
		environment,
		authorities,
		workdir: () => live.current().toolsets.terminal.workdir,
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
			approvals.toolsChanged(change);
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
