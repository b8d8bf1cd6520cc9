import type {GatewayEvent} from './events.ts';
import type {GatewayState} from './state.ts';
import type {ServerView} from './tool-server.ts';

/** The tool servers after `events`: by profile, the gateway's own first, and name. */
export function serversAfter(
	servers: GatewayState['servers'],
	events: readonly GatewayEvent[],
): GatewayState['servers'] {
	let next: Map<string, ServerView> | undefined;
	for (const event of events) {
		if (event.type === 'server-changed') {
			next ??= byPlace(servers);
			next.set(placeOf(event.server), event.server);
		} else if (event.type === 'server-removed') {
			next ??= byPlace(servers);
			next.delete(placeOf(event));
		}
	}

	return next ? inServerOrder([...next.values()]) : servers;
}

/** Servers by profile, the gateway's own first, and name. */
export const inServerOrder = (servers: readonly ServerView[]): readonly ServerView[] =>
	servers.toSorted(
		(one, other) => compare(profileRank(one), profileRank(other)) || compare(one.name, other.name),
	);

const profileRank = ({profile}: ServerView): string => (profile === 'default' ? '' : profile);

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

const placeOf = ({profile, name}: {readonly profile: string; readonly name: string}): string =>
	`${profile} ${name}`;

const byPlace = (servers: readonly ServerView[]): Map<string, ServerView> =>
	new Map(servers.map(server => [placeOf(server), server]));
