import {conversationName} from '../origin.ts';
import type {GatewayState} from '../state.ts';
import type {Known, KnownField} from './proposals.ts';

type Reader = {
	/** In the order in which they are proposed; the same may come several times. */
	readonly read: (state: GatewayState) => Iterable<string>;
	/** A value that is not there can find nothing. */
	readonly isWhole?: true;
};

const routesOf = ({routes, deliveries, runs}: GatewayState) => [
	...routes.map(({name}) => name),
	...deliveries.toReversed().map(({delivery}) => delivery.route),
	...runs.toReversed().map(({route}) => route),
];

/** What the state knows of the values of terms, by their names; a name means the same in every list. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
	['route', {read: routesOf, isWhole: true}],
	[
		'event',
		{
			read: ({deliveries, routes}) => [
				...deliveries.toReversed().map(({delivery}) => delivery.event),
				...routes.flatMap(({events}) => events),
			],
		},
	],
	[
		'server',
		{
			read: ({servers, approvals, settledApprovals}) => [
				...servers.map(({name}) => name),
				...[...approvals, ...settledApprovals].flatMap(
					approval => (approval.kind === 'tool' ? approval.tool.server : approval.server) ?? [],
				),
			],
			isWhole: true,
		},
	],
	['tool', {read: ({servers}) => servers.flatMap(({tools}) => tools.map(({tool}) => tool))}],
	[
		'target',
		{
			read: ({routes, runs}) => [
				...routes.map(({deliver}) => deliver),
				...runs.map(({target}) => target),
			],
		},
	],
	['deliver', {read: ({routes, jobs}) => [...routes, ...jobs].map(({deliver}) => deliver)}],
	['mode', {read: ({routes}) => routes.map(({mode}) => mode)}],
	['name', {read: ({jobs}) => jobs.map(({name}) => name)}],
	['job', {read: ({jobs}) => jobs.map(({name}) => name)}],
	[
		'chat',
		{
			read: ({runs}) =>
				runs.flatMap(({conversation}) => (conversation ? [conversationName(conversation)] : [])),
		},
	],
	['key', {read: ({groups}) => groups.map(({key}) => key)}],
	['room', {read: ({logs}) => logs.map(({source}) => source)}],
	[
		'profile',
		{
			read: ({gateway, servers, routes, jobs}) => [
				gateway.profile,
				...[...servers, ...routes, ...jobs].map(({profile}) => profile),
			],
		},
	],
]);

/** What `state` knows of the values of terms. A value that the journal alone has may be missing; each name is read once. */
export function knownValues(
	state: GatewayState,
	fields: () => readonly KnownField[] = () => [],
): Known {
	const values = new Map<string, readonly string[]>();
	return {
		values(term) {
			const found = values.get(term) ?? [...new Set(readers.get(term)?.read(state))];
			values.set(term, found);
			return found;
		},
		isWhole: term => readers.get(term)?.isWhole === true,
		fields,
	};
}
