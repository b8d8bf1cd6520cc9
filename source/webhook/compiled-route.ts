import type {Route} from '../config/route.ts';
import type {JsonObject} from '../core/json.ts';
import {compileGroupKey} from './coalesce-key.ts';
import type {GroupKeyReader} from './coalesce-key.ts';
import {compileSubject} from './event-subject.ts';
import type {EventSubjectReader} from './event-subject.ts';
import {keptHeadersOf} from './filter-headers.ts';
import type {HoldsValue} from './filter-operators.ts';
import {compileFilters} from './filter.ts';
import type {FilterCheck} from './filter.ts';
import {compileExtra, parseTemplate} from './template.ts';
import type {RenderContext, Template} from './template.ts';

/** What is worked out once per route object: a reload makes new ones. */
export type CompiledRoute = {
	/** Names the route and its profile: two routes never share one. */
	readonly id: string;
	readonly matches: FilterCheck;
	/** Headers that are kept with its deliveries besides the usual ones. */
	readonly keptHeaders: readonly string[];
	/** What an event is about, in a line for people. */
	readonly subjectOf: EventSubjectReader;
	/** `undefined`: the whole payload is the prompt. */
	readonly prompt: Template | undefined;
	/** `undefined`: every event. */
	readonly events: ReadonlySet<string> | undefined;
	/** `deliver_extra` for one event. */
	readonly renderExtra: (context: RenderContext) => JsonObject;
	/** `undefined`: events do not wait for each other. */
	readonly groupKey: GroupKeyReader | undefined;
};

/** Compiles routes and remembers them for as long as they are in use. `holdsValueIn` answers for the files of one profile. */
export function createRouteCompiler(
	holdsValueIn: (profile: string) => HoldsValue,
): (route: Route) => CompiledRoute {
	const compiled = new WeakMap<Route, CompiledRoute>();
	return route => {
		const known = compiled.get(route);
		if (known) {
			return known;
		}

		const made: CompiledRoute = {
			id: routeIdOf(route),
			matches: compileFilters(route.filters, holdsValueIn(route.profile)),
			keptHeaders: keptHeadersOf(route),
			subjectOf: compileSubject(route),
			prompt: route.prompt === undefined ? undefined : parseTemplate(route.prompt),
			events: route.events.length === 0 ? undefined : new Set(route.events),
			renderExtra: compileExtra(route.deliverExtra),
			groupKey: route.coalesce && compileGroupKey(route.coalesce.key),
		};
		compiled.set(route, made);
		return made;
	};
}

/** The name of a route and its profile in one. A profile's name holds no slash. */
export const routeIdOf = ({profile, name}: Pick<Route, 'profile' | 'name'>): string =>
	`${profile}/${name}`;
