import type {Config} from './config.ts';
import {problemWithToolsets} from './diagnose-toolsets.ts';
import {problemWithPlatform} from './platform-problem.ts';
import type {Route} from './route.ts';

/** What does not keep a route from being served, and what comes of its events: where its answers go, and its toolsets. What follows the subject in a sentence. */
export const troublesWith = (route: Route, config: Config): readonly string[] =>
	[
		route.cronJob === undefined ? problemWithPlatform(route.deliver, config) : undefined,
		problemWithToolsets(route, config),
	].filter(text => text !== undefined);
