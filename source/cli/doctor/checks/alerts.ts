import {alertPlace, problemWithAlert} from '../../../config/alerts.ts';
import {platformError} from '../../../config/platform-settings.ts';
import {alertsExample, noAlerts} from '../../../nouns/needs.ts';
import {type Check, type CheckResult, ok, unread, warning} from './check.ts';

/** The chats that receive alerts. Sends nothing. */
export const alerts: Check = {
	subject: 'alerts',
	look({config}) {
		if (!config) {
			return unread;
		}

		if (config.alerts.length === 0) {
			return ok(
				`none: ${noAlerts}`,
				`to change that, write "${alertsExample}" into config.yaml: see svc help alerts`,
			);
		}

		return config.alerts.map((alert): CheckResult => {
			const {platform, on} = alert;
			const place = alertPlace(alert);
			const problem = problemWithAlert(alert, config);
			if (problem) {
				return warning(
					`${place} is told nothing: ${problem.message}`,
					problem.key === 'platform'
						? `svc gateway setup ${platform}`
						: 'mend chat_id of that entry of alerts in config.yaml: see svc help alerts',
				);
			}

			return platformError(config, platform)
				? warning(
						`${place} is told nothing: platforms.${platform} cannot be used`,
						`mend platforms.${platform} in config.yaml: see svc help delivery-${platform}`,
					)
				: ok(`${place} is told of ${on.join(', ')}`);
		});
	},
};
