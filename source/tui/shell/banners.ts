import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clean} from '../panes/line.ts';
import {own, ui} from '../text/safe.ts';
import type {Tone} from '../theme/theme.ts';

/** A line above the pane that stays until its cause is gone. */
export type Banner = {
	readonly id: 'gateway' | 'webhook' | 'config' | 'model';
	readonly text: Safe;
	readonly tone: Tone;
};

/** What a person has to know whatever pane is open, worst first. */
export function bannersOf(state: GatewayState): readonly Banner[] {
	return [
		gatewayBanner(state),
		webhookBanner(state),
		configBanner(state),
		modelBanner(state),
	].filter(banner => banner !== undefined);
}

function gatewayBanner({gateway}: GatewayState): Banner | undefined {
	if (!gateway.reachable) {
		const text = ui`✗ the gateway in process ${gateway.pid} does not answer: everything shown is old`;
		return {id: 'gateway', text, tone: 'bad'};
	}

	return gateway.stopping
		? {id: 'gateway', text: own('! the gateway is stopping'), tone: 'warn'}
		: undefined;
}

const webhookBanner = ({webhook}: GatewayState): Banner | undefined =>
	webhook.state === 'refused'
		? {
				id: 'webhook',
				text: ui`✗ webhooks are not received: ${clean(webhook.reason)} · r retry`,
				tone: 'bad',
			}
		: undefined;

function configBanner({problems}: GatewayState): Banner | undefined {
	const [first] = problems.toSorted((a, b) => severity(a.severity) - severity(b.severity));
	if (!first) {
		return undefined;
	}

	const position = first.line > 0 ? `:${first.line}:${first.column}` : '';
	const key = first.key === '' ? '' : ` ${first.key}:`;
	const more = problems.length > 1 ? ` (+${problems.length - 1})` : '';
	const isError = first.severity === 'error';
	return {
		id: 'config',
		text: clean(
			`${isError ? '✗ configuration not applied' : '! configuration'}: ${first.file}${position}${key} ${first.message}${more}`,
		),
		tone: isError ? 'bad' : 'warn',
	};
}

const severity = (name: 'error' | 'warning') => (name === 'error' ? 0 : 1);

function modelBanner({model, modelOffer, modelProblem}: GatewayState): Banner | undefined {
	if (modelProblem !== undefined) {
		return {id: 'model', text: ui`✗ runs will fail: ${clean(modelProblem)}`, tone: 'bad'};
	}

	if (modelOffer) {
		const offer = clean(`${modelOffer.provider} ${modelOffer.name} (${modelOffer.origin})`);
		return {id: 'model', text: ui`! ${offer} can answer, but costs money · M use it`, tone: 'warn'};
	}

	return model?.provider === 'offline'
		? {
				id: 'model',
				text: ui`! no language model (${clean(model.name)}) · set "model:" in: svc config path`,
				tone: 'warn',
			}
		: undefined;
}
