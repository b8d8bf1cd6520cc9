import type {Route} from '../config/route.ts';
import type {HoldsValue} from './filter-operators.ts';
import {compileFilters} from './filter.ts';
import type {FilterCheck} from './filter.ts';
import {parseTemplate} from './template.ts';
import type {Template} from './template.ts';

/** What is worked out once per route object: a reload makes new ones. */
export type CompiledRoute = {
	readonly matches: FilterCheck;
	/** `undefined`: the whole payload is the prompt. */
	readonly prompt: Template | undefined;
	/** `undefined`: every event. */
	readonly events: ReadonlySet<string> | undefined;
};

/** Compiles routes and remembers them for as long as they are in use. */
export function createRouteCompiler(holdsValue: HoldsValue): (route: Route) => CompiledRoute {
	const compiled = new WeakMap<Route, CompiledRoute>();
	return route => {
		const known = compiled.get(route);
		if (known) {
			return known;
		}

		const made: CompiledRoute = {
			matches: compileFilters(route.filters, holdsValue),
			prompt: route.prompt === undefined ? undefined : parseTemplate(route.prompt),
			events: route.events.length === 0 ? undefined : new Set(route.events),
		};
		compiled.set(route, made);
		return made;
	};
}
