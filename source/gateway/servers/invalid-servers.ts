import type {Config} from '../../config/config.ts';
import {invalidServers, viewOfInvalidServer} from '../../config/invalid-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {ServerView} from '../../core/tool-server.ts';
import type {ServerKey} from '../../store/port.ts';

/** Tells faces of tool servers that no manager has. */
export function createInvalidServers(world: {
	readonly clock: Clock;
	readonly config: () => Pick<Config, 'itemErrors' | 'toolServers'>;
	/** Must not throw. */
	readonly onChange: (view: ServerView) => void;
	/** Not called for one that is mended. Must not throw. */
	readonly onRemoved: (server: ServerKey) => void;
}) {
	const {clock, config, onChange, onRemoved} = world;
	let known: ReadonlyMap<string, ServerView> = new Map();
	return {
		/** Looks at the configuration as it is now, and tells of what is different. */
		changed() {
			const {itemErrors, toolServers} = config();
			const next = new Map(
				[...invalidServers({itemErrors})]
					.filter(([, {kept}]) => !kept)
					.map(([name, itemError]) => {
						const before = known.get(name);
						return [
							name,
							before?.reason === itemError.reason
								? before
								: {...viewOfInvalidServer(name, itemError), since: clock.now()},
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
		views: (): readonly ServerView[] => [...known.values()],
	};
}
