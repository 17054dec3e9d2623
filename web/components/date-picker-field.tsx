import { parseDate } from '@internationalized/date';
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DatePicker as AriaDatePicker,
  DateSegment,
  Dialog,
  Group,
  Heading,
  Label,
  Popover,
} from 'react-aria-components';
import type { DatePickerProps } from './date-picker.tsx';
import { Icon } from './icon.tsx';
import { FieldFault } from './text-field.tsx';
import './button.css';
import './date-picker.css';
import './field.css';
import './menu.css';

export function DatePickerField({
  label,
  hideLabel = false,
  value,
  onChange,
  error,
  autoFocus = false,
}: DatePickerProps) {
  return (
    <AriaDatePicker
      className="field"
      value={value === null ? null : parseDate(value)}
      onChange={(day) => onChange(day?.toString() ?? null)}
      shouldForceLeadingZeros
      autoFocus={autoFocus}
      {...(error ? { isInvalid: true } : {})}
    >
      <Label className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</Label>
      <Group className="field-group">
        <DateInput className="date-input">
          {(segment) => <DateSegment segment={segment} className="date-segment" />}
        </DateInput>
        <Button className="button" data-kind="quiet" data-square>
          <Icon name="calendar" />
        </Button>
      </Group>
      <FieldFault error={error} />
      <Popover className="popover" offset={4}>
        <Dialog className="calendar">
          <Calendar>
            <header className="calendar-header">
              <Button slot="previous" className="button" data-kind="quiet" data-square>
                <Icon name="left" />
              </Button>
              <Heading />
              <Button slot="next" className="button" data-kind="quiet" data-square>
                <Icon name="right" />
              </Button>
            </header>
            <CalendarGrid>{(date) => <CalendarCell date={date} className="calendar-day" />}</CalendarGrid>
          </Calendar>
        </Dialog>
      </Popover>
    </AriaDatePicker>
  );
}
