import type {JsonObject} from '../../../core/json.ts';
import world from './world.json' with {type: 'json'};

/** What the model of the demo says next. */
export type ModelAnswer =
	| {readonly text: string}
	| {readonly tool: string; readonly args: JsonObject; readonly slowly?: boolean}
	| {readonly refusal: string};

/** The steps of a run: tools, then an answer. By what the prompt says; the first that fits, and the last one fits everything. */
const scripts = world.answers.map(({about, steps}) => ({
	about: new RegExp(about, 'i'),
	// The types of JSON have no unions.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	steps: steps as unknown as readonly ModelAnswer[],
}));

/** The next step of a run, by its prompt and how many results of tools it has already. */
export function nextAnswer(prompt: string, results: number): ModelAnswer {
	const {steps = []} = scripts.find(({about}) => about.test(prompt)) ?? {};
	return steps[results] ?? steps.at(-1) ?? {text: ''};
}
