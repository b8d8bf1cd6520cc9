import {conversationName} from '../origin.ts';
import type {GatewayState} from '../state.ts';
import type {Known, KnownField} from './proposals.ts';

/** Lists values in the order in which they are proposed; duplicates are allowed. */
type Reader = (state: GatewayState) => Iterable<string>;

/** Readers of the known values, by the name of the term; the name means the same in every vocabulary. */
const readers: ReadonlyMap<string, Reader> = new Map(
	Object.entries<Reader>({
		route: ({routes, deliveries, runs}) => [
			...routes.map(({name}) => name),
			...deliveries.toReversed().map(({delivery}) => delivery.route),
			...runs.toReversed().map(({route}) => route),
		],
		event: ({deliveries, routes}) => [
			...deliveries.toReversed().map(({delivery}) => delivery.event),
			...routes.flatMap(({events}) => events),
		],
		server: ({servers, approvals, settledApprovals}) => [
			...servers.map(({name}) => name),
			...[...approvals, ...settledApprovals].flatMap(
				approval => (approval.kind === 'tool' ? approval.tool.server : approval.server) ?? [],
			),
		],
		tool: ({servers}) => servers.flatMap(({tools}) => tools.map(({tool}) => tool)),
		target: ({routes, runs}) => [
			...routes.map(({deliver}) => deliver),
			...runs.map(({target}) => target),
		],
		deliver: ({routes, jobs}) => [...routes, ...jobs].map(({deliver}) => deliver),
		mode: ({routes}) => routes.map(({mode}) => mode),
		name: ({jobs}) => jobs.map(({name}) => name),
		job: ({jobs}) => jobs.map(({name}) => name),
		chat: ({runs}) =>
			runs.flatMap(({conversation}) => (conversation ? [conversationName(conversation)] : [])),
		key: ({groups}) => groups.map(({key}) => key),
		room: ({logs}) => logs.map(({source}) => source),
		profile: ({gateway, servers, routes, jobs}) => [
			gateway.profile,
			...[...servers, ...routes, ...jobs].map(({profile}) => profile),
		],
	}),
);

/** Terms of which the state has all values: no item can match any other value. */
const whole: ReadonlySet<string> = new Set(['route', 'server']);

/** The values of terms that occur in `state`, read once per term. Values that are only in the journal may be missing. */
export function knownValues(
	state: GatewayState,
	fields: () => readonly KnownField[] = () => [],
): Known {
	const values = new Map<string, readonly string[]>();
	return {
		values(term) {
			const found = values.get(term) ?? [...new Set(readers.get(term)?.(state))];
			values.set(term, found);
			return found;
		},
		isWhole: term => whole.has(term),
		fields,
	};
}
