import {hasAdnanh, startAdnanh} from './adnanh-server.ts';
import type {RouteName} from './config.ts';
import {
	startBareServer,
	startFloorServer,
	startProgram,
	startRoomsServer,
	type Server,
} from './servers.ts';

/** A row of the table. */
export type Variant = {
	readonly name: string;
	readonly start: (world: World) => Promise<Server>;
	readonly route: RouteName;
	/** The only status that a request may get. */
	readonly status: string;
	readonly forged?: true;
	/** Measured at 64 connections only. */
	readonly brief?: true;
	/** Part of this project: what may be compared with another checkout of it. */
	readonly ours?: true;
	/** Needs `World.fullHome`. */
	readonly stored?: true;
};

export type World = {
	/** Folder for CPU profiles. */
	readonly profile: string | undefined;
	/** A data directory that many deliveries are stored in. */
	readonly fullHome: string;
	/** The checkout whose servers are started; this one when absent. */
	readonly checkout?: string;
};

const manyRoutes = 1000;

export const bareName = 'bare node:http';
export const floorName = 'work floor';

const rooms = async (world: World) => startRoomsServer(world);
const program = async (world: World) => startProgram(world);

const accept = {route: 'accept', status: '202'} as const;
const ignored = {route: 'ignored', status: '200'} as const;
const ours = {ours: true} as const;

const baselines: readonly Variant[] = [
	{name: bareName, start: startBareServer, ...accept},
	{name: floorName, start: startFloorServer, ...accept},
];

const others: readonly Variant[] = [
	{name: 'ignored (filter)', start: rooms, ...ignored, ...ours},
	{name: 'direct', start: rooms, route: 'direct', status: '200', ...ours},
	{name: 'durable accept', start: rooms, ...accept, ...ours},
	{name: 'coalesced', start: rooms, route: 'coalesced', status: '202', ...ours},
	{name: '401 (forged)', start: rooms, route: 'accept', status: '401', forged: true, ...ours},
	{name: 'program, ignored', start: program, ...ignored, ...ours},
	{name: 'program, accept', start: program, ...accept, ...ours},
	{
		name: 'program, accept, 1,000 routes',
		start: async world => startProgram({...world, otherRoutes: manyRoutes}),
		...accept,
		...ours,
		brief: true,
	},
	{
		name: 'program, accept, 100,000 stored',
		start: async world => startProgram({...world, home: world.fullHome}),
		...accept,
		...ours,
		brief: true,
		stored: true,
	},
];

const adnanhs: readonly Variant[] = [
	{name: 'adnanh/webhook, ignored', start: startAdnanh, ...ignored, brief: true},
	{name: 'adnanh/webhook, accept', start: startAdnanh, ...accept, brief: true},
];

/** How a row of another checkout is called. */
export const beforeName = (name: string): string => `${name} (before)`;

/**
 * The rows to measure. `only`: those whose name holds one of these words, and always the two baselines, which the others are shares of. `before`, another checkout of
 * this project: each row of ours is measured there as well, right before it is here.
 */
export function variantsOf({
	only,
	before,
	withAdnanh = hasAdnanh(),
}: {
	readonly only?: readonly string[] | undefined;
	readonly before?: string | undefined;
	readonly withAdnanh?: boolean;
}): readonly Variant[] {
	const wanted = [...others, ...(withAdnanh ? adnanhs : [])].filter(
		({name}) => only?.some(word => name.includes(word)) ?? true,
	);
	const pairOf = (variant: Variant): readonly Variant[] =>
		before === undefined || !variant.ours ? [variant] : [inCheckout(variant, before), variant];
	return [...baselines, ...wanted.flatMap(pairOf)];
}

const inCheckout = (variant: Variant, checkout: string): Variant => ({
	...variant,
	name: beforeName(variant.name),
	start: async world => variant.start({...world, checkout}),
});
