import {traceOrder, wholeTrace, type Delivery, type TraceStepName} from '../../../core/delivery.ts';

/** One line of the decision: `✓` passed, `✗` ended the request, `-` skipped or not reached. */
export type DecisionLine = {
	readonly mark: '✓' | '✗' | '-';
	readonly step: TraceStepName;
	readonly detail: string;
};

const marks = {pass: '✓', stop: '✗', skip: '-'} as const;

/**
 * The decision trace in the order of the pipeline. After the step that ended the request, the steps that it never came to
 * are named as such: that is the answer to "why did my webhook do nothing?".
 */
export function decisionLines(delivery: Delivery): readonly DecisionLine[] {
	const trace = wholeTrace(delivery);
	const taken = new Map(trace.map(step => [step.step, step]));
	const stop = trace.find(step => step.verdict === 'stop');
	const end = stop ? traceOrder.indexOf(stop.step) : traceOrder.length;
	const lines: DecisionLine[] = [];
	for (const [index, step] of traceOrder.entries()) {
		const known = taken.get(step);
		if (known) {
			lines.push({mark: marks[known.verdict], step, detail: known.detail});
		} else if (index > end) {
			lines.push({mark: '-', step, detail: 'not reached'});
		}
	}

	return lines;
}
