import type {RouteView} from '../../core/config-view.ts';
import {overlapSpan, type Act} from '../act.ts';
import {nameInKey} from './route.ts';

/** The operations on routes, by a gateway or on a home's files. */
export type RoutePort<Rotated> = {
	setRoutePaused(name: string, to: {readonly paused: boolean}): Promise<void>;
	rotateRoute(name: string, options: {readonly overlap_ms: number}): Promise<Rotated>;
	removeRoute(name: string): Promise<void>;
};

/** A route with a new secret, which is shown once. */
export type RotatedSecret<Rotated> = {readonly name: string; readonly rotated: Rotated};

/** Routes in config.yaml are edited in the file, where their comments can be seen. */
const notHere = ({name, source}: RouteView): string | undefined =>
	source === 'static' ? `${name} stands in config.yaml: edit it with e` : undefined;

const gone = 'it has gone';

/** The acts that change a dynamic route without its form. */
export const routeActs = <Rotated>(): ReadonlyArray<
	Act<RouteView, RoutePort<Rotated>, RotatedSecret<Rotated>>
> => [
	{
		verb: 'pause',
		key: 'p',
		label: 'pause or resume',
		says: 'pause a dynamic route: its events start nothing and are answered 503 until it is resumed',
		why: notHere,
		async effect(port, id) {
			const name = nameInKey(id);
			await port.setRoutePaused(name, {paused: true});
			return {
				said: `Paused ${name}: its events start nothing and are answered 503; Traffic keeps them`,
				json: {name, paused: true},
			};
		},
		gone,
		back: {
			isDone: ({paused = false}) => paused,
			verb: 'resume',
			says: 'resume a paused route',
			async effect(port, id) {
				const name = nameInKey(id);
				await port.setRoutePaused(name, {paused: false});
				return {said: `Resumed ${name}`, json: {name, paused: false}};
			},
		},
	},
	{
		verb: 'rotate',
		key: 'R',
		label: 'new secret',
		says: 'give a route a new secret; the old one is accepted for a while',
		why: notHere,
		span: overlapSpan({
			name: ({name}) => name,
			says: 'how long the old secret is accepted: 0s to 30d',
			note: () => 'What an earlier rotation kept passes no longer than that.',
			none: 'its sender is refused until it has the new one',
		}),
		async effect(port, id, {spanMs}) {
			const name = nameInKey(id);
			const rotated = await port.rotateRoute(name, {overlap_ms: spanMs});
			return {said: `Rotated ${name}`, json: undefined, once: {name, rotated}};
		},
		gone,
	},
	{
		verb: 'remove',
		key: 'D',
		label: 'delete',
		says: 'remove a dynamic route',
		why: notHere,
		ask: ({name}) => ({
			title: `Delete ${name}?`,
			lines: [
				'Its entry goes from webhook_subscriptions.json, with its secret; its events are answered 404 then. Groups and runs that wait go on.',
				'To stop it for a while only, pause it with p.',
			],
			act: 'delete it',
			typed: {name},
		}),
		async effect(port, id) {
			const name = nameInKey(id);
			await port.removeRoute(name);
			return {said: `Removed ${name}`, json: {name}};
		},
		gone,
	},
];
