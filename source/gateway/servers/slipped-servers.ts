import type {Config} from '../../config/config.ts';
import {slippedServers, viewOfSlippedServer} from '../../config/slipped-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {ServerView} from '../../core/tool-server.ts';

/** The tool servers that cannot be used as they are written, and of which no last good version runs. */
export type SlippedServers = {
	/** Looks at the configuration as it is now, and tells of what is different. */
	changed(): void;
	views(): readonly ServerView[];
};

/** Tells faces of tool servers that no manager has. */
export function createSlippedServers({
	clock,
	config,
	onChange,
	onRemoved,
}: {
	readonly clock: Clock;
	readonly config: () => Pick<Config, 'slips' | 'toolServers'>;
	/** Must not throw. */
	readonly onChange: (view: ServerView) => void;
	/** Not called for one that is mended. Must not throw. */
	readonly onRemoved: (server: {readonly profile: string; readonly name: string}) => void;
}): SlippedServers {
	let known: ReadonlyMap<string, ServerView> = new Map();
	return {
		changed() {
			const {slips, toolServers} = config();
			const next = new Map(
				[...slippedServers({slips})]
					.filter(([, {kept}]) => !kept)
					.map(([name, slip]) => {
						const before = known.get(name);
						return [
							name,
							before?.reason === slip.reason
								? before
								: {...viewOfSlippedServer(name, slip), since: clock.now()},
						];
					}),
			);
			for (const [name, view] of next) {
				if (known.get(name) !== view) {
					onChange(view);
				}
			}

			for (const [name, {profile}] of known) {
				if (!next.has(name) && !toolServers.has(name)) {
					onRemoved({profile, name});
				}
			}

			known = next;
		},
		views: () => [...known.values()],
	};
}
