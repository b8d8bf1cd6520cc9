import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clean} from '../panes/line.ts';
import {ui} from '../text/safe.ts';
import type {Tone} from '../theme/theme.ts';

/** A line above the pane that stays until its cause is gone. */
export type Banner = {
	readonly id: 'webhook' | 'config' | 'model' | 'stopping';
	readonly text: Safe;
	readonly tone: Tone;
};

/** What a person has to know whatever pane is open, worst first. */
export function bannersOf(state: GatewayState): readonly Banner[] {
	return [
		stoppingBanner(state),
		webhookBanner(state),
		configBanner(state),
		modelBanner(state),
	].filter(banner => banner !== undefined);
}

const stoppingBanner = ({gateway}: GatewayState): Banner | undefined =>
	gateway.stopping
		? {id: 'stopping', text: ui`! the gateway is stopping`, tone: 'warn'}
		: undefined;

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

	const place = first.line > 0 ? `${first.file}:${first.line}` : first.file;
	const more = problems.length > 1 ? ` (+${problems.length - 1})` : '';
	const isError = first.severity === 'error';
	return {
		id: 'config',
		text: clean(
			`${isError ? '✗ configuration not applied' : '! configuration'}: ${place} ${first.message}${more}`,
		),
		tone: isError ? 'bad' : 'warn',
	};
}

const severity = (name: 'error' | 'warning') => (name === 'error' ? 0 : 1);

const modelBanner = ({model}: GatewayState): Banner | undefined =>
	model?.provider === 'offline'
		? {
				id: 'model',
				text: ui`! no language model, ${clean(model.name)} digests by rule · set "model:" in the file that svc config path names`,
				tone: 'warn',
			}
		: undefined;
