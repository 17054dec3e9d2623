import { parseDate } from '@internationalized/date';
import { Button, Calendar, CalendarCell, CalendarGrid, Heading } from 'react-aria-components';
import { Icon } from '../../components/icon.tsx';

/** A month to choose a day from. */
export function DueCalendar({ day, onChoose }: { day: string; onChoose: (day: string) => void }) {
  return (
    <Calendar defaultValue={parseDate(day)} onChange={(date) => onChoose(date.toString())} autoFocus>
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
  );
}
