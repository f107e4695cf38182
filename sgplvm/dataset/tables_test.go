package dataset_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// A textCase is a table as people have it. In its text {NA|7.13} stands for a gap that is written NA and becomes 7.13 when it is filled with 7.126.
type textCase struct {
	name, text string
	columns    string // names of the values, separated by bars
	rows       int
	last       string // the time of the last example, as a date or a number; "": there are no times
	o          dataset.SetOptions
}

var gap = regexp.MustCompile(`\{([^|{}]*)\|([^{}]*)\}`)

// steps writes lines of the numbers from 1 on and of their squares modulo 7.
func steps(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1, (i+1)*(i+1)%7)
	}
	return b.String()
}

const places = "A,X,1,t,2020-01-01T00:00Z,2020-01-01T01:00,1\nA,X,1,p,2020-01-01T00:00Z,2020-01-01T01:00,2\nB,X,2,t,2020-01-01T00:00Z,2020-01-01T01:00,3\nB,X,2,p,2020-01-01T00:00Z,2020-01-01T01:00,4\n"

var textCases = []textCase{
	{name: "comma.csv", text: "a,b\n1.25,2\n{|7.13},3\n4,{NaN|7}\n", columns: "a|b", rows: 3},
	{name: "no names.csv", text: "1.25,2\n{|7.13},3\n4,{NA|7}\n", columns: "", rows: 3},
	{name: "semicolon.csv", text: "a;b;c\n1;2;3\n4;{|7};6\n", columns: "a|b|c", rows: 2},
	{name: "decimal comma.csv", text: "a;b\n1,25;2\n{#N/A|7,13};3,5\n", columns: "a|b", rows: 2},
	{name: "German.csv", text: "Datum;Temperatur (°C);Druck\r\n31.12.2019 22:00;1,5;1.013,25\r\n31.12.2019 23:00;{|7,1};1.012,00\r\n01.01.2020 00:00;2,5;{|7,13}\r\n", columns: "Temperatur (°C)|Druck", rows: 3, last: "2020-01-01"},
	{name: "tabs.tsv", text: "a\tb\tc\n1\t2.5\t3\n4\t{|7.1}\t6\n", columns: "a|b|c", rows: 2},
	{name: "blanks.txt", text: "  time   u     v\n   0.0  1.50  2\n   0.5 { NaN|7.13}  3\n   1.0  3.25  {-|7}\n", columns: "u|v", rows: 3, last: "1"},
	{name: "bars.txt", text: "a|b\n1.5|2\n{?|7.1}|3\n", columns: "a|b", rows: 2},
	{name: "quotes.csv", text: "\"site\",\"day, local\",\"x\",\"y\"\n\"A, north\",\"1\",\"1.5\",\"2\"\n\"B\",\"2\",\"{NA|7.1}\",\"4\"\n", columns: "day, local|x|y", rows: 2},
	{name: "all quoted.csv", text: "\"a\";\"b\"\n\"1,5\";\"{|7,13}\"\n\"2,5\";\"3,25\"\n\"4\";\"5,5\"\n", columns: "a|b", rows: 3},
	{name: "comments.dat", text: "# made by a logger\n# station 7\n#\n# a b c\n1.0 2.0 3.0\n# a pause\n4.0 {nan|7.1} 6.0\n", columns: "a|b|c", rows: 2},
	{name: "title.csv", text: "Report of station 12\nPeriod;2019\n\ndate;a;b\n2019-01-01;1.5;2\n2019-01-02;{|7.1};3\n2019-01-03;2.5;4\n2019-01-04;2.5;4\n", columns: "a|b", rows: 4, last: "2019-01-04"},
	{name: "units.csv", text: "time,temp,wind\n,degC,m/s\n2020-02-28T00:00:00Z,1.5,2\n2020-02-29T00:00:00Z,{|7.1},3\n2020-03-01T00:00:00Z,2.5,4\n", columns: "temp|wind", rows: 3, last: "2020-03-01"},
	{name: "TOA5.dat", text: "\"TOA5\",\"CR1000\",\"prog\"\n\"TIMESTAMP\",\"RECORD\",\"AirT\",\"RH\"\n\"TS\",\"RN\",\"C\",\"%\"\n\"\",\"\",\"Avg\",\"Smp\"\n\"2021-06-01 00:10:00\",0,20.51,80\n\"2021-06-01 00:20:00\",1,{\"NAN\"|\"7.13\"},81\n\"2021-06-01 00:30:00\",2,20.7,{\"NAN\"|\"7\"}\n",
		columns: "AirT|RH", rows: 3, last: "2021-06-01 00:30:00"},
	{name: "words.csv", text: "a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n{NULL|7},{NA|7},{N/A|7},{None|7},{-|7},{?|7},{<NA>|7}\n8,9,1,2,3,4,5\n", columns: "a|b|c|d|e|f|g", rows: 3},
	{name: "date first.csv", text: "date,a,b\n2020-01-01,0,0\n2020-01-02,{|7},1\n2020-01-05,2,4\n", columns: "a|b", rows: 3, last: "2020-01-05"},
	{name: "date and clock.csv", text: "Date;Time;CO;\n10/03/2004;18.00.00;2,6;\n10/03/2004;19.00.00;{|7,1};\n13/03/2004;00.00.00;2,2;\n;;;\n;;;\n", columns: "CO", rows: 3, last: "2004-03-13"},
	{name: "year month day.csv", text: "year,month,day,x,y\n2020,2,28,1.5,1\n2020,2,29,{|7.1},2\n2020,3,1,3.5,3\n", columns: "x|y", rows: 3, last: "2020-03-01"},
	{name: "labels.csv", text: "name,group,height,weight\nAnna,x,1.71,{|7.1}\nBert,y,{|7.13},80.5\nCarl,x,1.85,90\n", columns: "height|weight", rows: 3},
	{name: "row numbers.csv", text: ",a,b\n0,1.5,2\n1,{|7.1},3\n2,4.5,{|7}\n", columns: "a|b", rows: 3},
	{name: "R.txt", text: "\"a\" \"b\"\n\"1\" 1.5 2\n\"2\" {NA|7.1} 3\n\"3\" 4.5 6\n", columns: "a|b", rows: 3},
	{name: "years across.csv", text: "Country,2001,2002,2003\nAustria,1.5,2,3\nBrazil,2.5,{..|7},4\n", columns: "2001|2002|2003", rows: 2},
	{name: "station rows.csv", text: "time,station,value\n0,north,0.5\n0,south,1\n1,north,{NA|7.1}\n1,south,2\n2,north,2.5\n2,south,3\n", columns: "north|south", rows: 3, last: "2"},
	{name: "station blocks.csv", text: "station;date;t\nA;01.02.2020;1,5\nA;02.02.2020;{|7,1}\nA;20.02.2020;3\nB;01.02.2020;2\nB;02.02.2020;2,5\n{|B;20.02.2020;7,1}\n", columns: "A|B", rows: 3, last: "2020-02-20"},
	{name: "stations twice.csv", text: "date,site,depth,temp,salt\n2020-01-01,P,5,1.5,30\n2020-01-01,Q,5,2.5,31\n2020-01-02,P,5,{|7.1},32\n2020-01-02,Q,5,3.5,{|7}\n", columns: "", rows: 2, last: "2020-01-02",
		o: dataset.SetOptions{Labels: "depth"}},
	{name: "station without.csv", text: "date,site,temp\n2020-01-01,P,1.5\n2020-01-01,Q,\n2020-01-02,P,{|7.1}\n2020-01-02,Q,NA\n2020-01-03,P,2.5\n", columns: "P", rows: 3, last: "2020-01-03"},
	{name: "stations without names.csv", text: "2020-01-01,P,1.5,3\n2020-01-01,Q,2.5,4\n2020-01-02,P,{|7.1},5\n2020-01-02,Q,3.5,6\n", columns: "P 3|P 4|Q 3|Q 4", rows: 2, last: "2020-01-02"},
	{name: "series without.csv", text: "date,site,temp,salt\n2020-01-01,P,1.5,\n2020-01-01,Q,2.5,1\n2020-01-02,P,{|7.1},\n2020-01-02,Q,3.5,2\n{|2020-01-03,P,7.1,\n}2020-01-03,Q,2.5,3\n", columns: "P temp|Q temp|Q salt", rows: 3, last: "2020-01-03"},
	{name: "numbers of stations.csv", text: "Datum;Stn;T\n01.02.2020;7;1,5\n01.02.2020;9;2\n02.02.2020;7;{|7,1}\n02.02.2020;9;3\n13.02.2020;7;2\n13.02.2020;9;3,5\n", columns: "7|9", rows: 3, last: "2020-02-13"},
	{name: "years of countries.csv", text: "country,region,year,gdp,area\nA,X,1990,1.5,7\nA,X,1995,{|7.1},7\nA,X,2000,2.5,7\nB,Y,1990,3,8\nB,Y,1995,3.5,8\nB,Y,2000,4,8\n", columns: "A|B", rows: 3, last: "2000"},
	{name: "melted.csv", text: "patient,test,value\n7,a,1.5\n7,b,2\n9,a,{|7.1}\n9,b,3\n", columns: "a|b", rows: 2},
	{name: "flags.csv", text: "time,value,flag\n2020-01-01,1.5,ok\n2020-01-02,{|7.1},bad\n2020-01-03,2.5,ok\n", columns: "value", rows: 3, last: "2020-01-03"},
	{name: "value and salt.csv", text: "time,site,value,salt\n0,P,1.5,30\n0,Q,2,31\n1,P,{|7.1},32\n1,Q,2.5,{|7}\n", columns: "P value|P salt|Q value|Q salt", rows: 2, last: "1"},
	{name: "capitals.csv", text: "time,site,value\n0,North,1.5\n0,South,2\n1,north ,{|7.1}\n1,South,2\n", columns: "North|South", rows: 2, last: "1"},
	{name: "total in a row.csv", text: "time,site,value\n0,P,1.5\n0,Q,2\n1,P,{|7.1}\n1,Q,3\n1,Total,6.5\n", columns: "P|Q", rows: 2, last: "1"},
	{name: "hours.txt", text: "STN,YYYYMMDD,HH,T\n260,20200228,23,15\n260,20200228,24,{|7}\n260,20200229,1,25\n", columns: "STN|T", rows: 3, last: "2020-02-29 01:00:00"},
	{name: "identifiers.csv", text: "PassengerId,Zip,Fare\n17,01067,7.25\n4,10115,{|7.13}\n9,80331,8.05\n", columns: "Fare", rows: 3},
	{name: "born.csv", text: "name,born,sex,height,weight\nA,1990-05-01,f,1.8,80\nB,1980-01-01,m,{|7.1},70\nC,1990-05-01,m,1.6,75\nD,1985-05-01,m,1.7,75\n", columns: "height|weight", rows: 4},
	{name: "thousands.csv", text: "a;b\n1.234.567;1,5\n{|7};2,5\n2.345.678;{|7,1}\n", columns: "a|b", rows: 3},
	{name: "spectra.csv", text: "sample,400,405,410,415\nA,1.5,2,1,3\nB,{|7.1},4,2,5\nC,2.5,3,7,1\n", columns: "400|405|410|415", rows: 3},
	{name: "title and units.csv", text: "Station 7;;\n;;\nDatum;T;u\n;°C;%\n01.02.2020;1,5;2\n02.02.2020;{#NV|7,1};3\n", columns: "T|u", rows: 2, last: "2020-02-02"},
	{name: "HOBO.csv", text: "\"Plot Title: attic\"\n\"#\",\"Date Time\",\"Temp\"\n1,06/01/21 08:00:00 PM,1.5\n2,06/01/21 11:00:00 PM,{|7.1}\n3,06/02/21 02:00:00 AM,2.5\n4,06/02/21 05:00:00 AM,2.5\n5,06/02/21 08:00:00 AM,2.5\n" +
		"6,06/02/21 11:00:00 AM,2.5\n7,06/02/21 02:00:00 PM,2.5\n8,06/02/21 05:00:00 PM,2.5\n9,06/02/21 08:00:00 PM,2.5\n10,06/02/21 11:00:00 PM,2.5\n", columns: "Temp", rows: 10, last: "2021-06-02 23:00:00"},
	{name: "units in cells.csv", text: "time,a,b\n0,1.5 °C,20 km/h\n1,{|7.1 °C},21 km/h\n2,2.5 °C,{-|7 km/h}\n", columns: "a|b", rows: 3, last: "2"},
	{name: "parameters.csv", text: "lat,lon,parameter,date,value\n34,-118,NO,2020-01-01,1.5\n34,-118,O3,2020-01-01,2\n34,-118,NO,2020-01-02,{|7.1}\n34,-118,O3,2020-01-02,3\n", columns: "NO|O3", rows: 2, last: "2020-01-02"},
	{name: "dates among numbers.csv", text: "post,alt,AAAAMMJJ,T\n1,250,20200228,1.5\n2,250,20200229,{|7.1}\n1,251,20200301,2.5\n", columns: "post|alt|T", rows: 3, last: "2020-03-01"},
	{name: "constant.csv", text: "lat,a\n" + strings.Repeat("50,1.5\n", 10) + "50,{|7.1}\n50,2\n", columns: "a", rows: 12},
	{name: "samples on dates.csv", text: "sample;date;Ca;Mg\nW1;01.02.2020;1,5;2\nW2;03.02.2020;{n.b.|7,1};3\nW3;01.02.2020;2,5;3\n", columns: "Ca|Mg", rows: 3},
	{name: "quarters.csv", text: "year,quarter,a\n1990,3,1.5\n1990,4,{|7.1}\n1991,1,2.5\n", columns: "a", rows: 3, last: "1991-01-01"},
	{name: "a blank behind commas.csv", text: "duration,iprod\n7, .01138\n{|7}, .02138\n13, .01138\n", columns: "duration|iprod", rows: 3},
	{name: "tidy.csv", text: "day,variable,value\n2020-01-01,t,1.5\n2020-01-01,p,1013\n2020-01-02,t,{|7.1}\n2020-01-02,p,1010\n", columns: "t|p", rows: 2, last: "2020-01-02"},
	{name: "months.csv", text: "month,x\nJan 2020,1.5\nFeb 2020,{|7.1}\nMar 2020,3.5\n", columns: "x", rows: 3, last: "2020-03-01"},
	{name: "American.csv", text: "Date,High,Volume\n2/27/2020,\"1,251.50\",\"1,200\"\n2/28/2020,{|7.13},\"1,300\"\n3/2/2020,\"1,260.25\",{|7}\n", columns: "High|Volume", rows: 3, last: "2020-03-02"},
	{name: "12 hours.csv", text: "when,x\n1/30/2020 11:00 PM,1.5\n1/31/2020 12:00 AM,{|7.1}\n1/31/2020 1:00 AM,2.5\n", columns: "x", rows: 3, last: "2020-01-31 01:00:00"},
	{name: "month and day.csv", text: "ozone,temp,month,day\n41,67,5,1\n36,{|7},5,2\n12,74,{|7},3\n", columns: "ozone|temp|month|day", rows: 3},
	{name: "numbers of seconds.csv", text: "t,x\n0.0,1.5\n0.1,{|7.1}\n0.3,3.5\n", columns: "x", rows: 3, last: "0.3"},
	{name: "exponents.csv", text: "a,b\n1.25E+03,2\n{|7.13E+00},3\n2.50E-01,4\n", columns: "a|b", rows: 3},
	{name: "small exponents.csv", text: "a\n1.25e+03\n{|7.13e+00}\n2.50e-01\n", columns: "a", rows: 3},
	{name: "units and dates of names.csv", text: ";A;B\nunit;EUR;EUR\n2020-01;1,5;2\n2020-02;{.|7,1};3\n", columns: "A|B", rows: 2, last: "2020-02-01"},
	{name: "old Mac.csv", text: "a,b\r1.5,2\r{|7.1},3\r2.5,4\r", columns: "a|b", rows: 3},
	{name: "no end.csv", text: "a,b\n1.5,2\n2.5,{|7}", columns: "a|b", rows: 2},
	{name: "units.txt", text: "day;level;flow\n1;5 cm;2.50 m³/s\n2;{k. A.|7 cm};3.50 m³/s\n3;9 cm;{...|7.13 m³/s}\n", columns: "level|flow", rows: 3, last: "3"},
	{name: "money.csv", text: "day,a,b\n2020-01-01,12%,$1.50\n2020-01-02,{|7%},$2.25\n2020-01-03,1%,{-|$7.13}\n", columns: "a|b", rows: 3, last: "2020-01-03"},
	{name: "buoy.txt", text: "#YY  MM DD hh mm WDIR WSPD\n#yr  mo dy hr mn degT m/s\n2020 02 28 23 50 100  5.0\n2020 02 29 00 00 {NaN|  7}  5.5\n2020 02 29 00 10 120  {NaN|7.1}\n", columns: "WDIR|WSPD", rows: 3, last: "2020-02-29 00:10:00"},
	{name: "compact.txt", text: "STATION_ID;MESS_DATUM;QN;TT\n   44;202002282350;    3; 1.5\n   44;202002290000;    3; {|7.1}\n   44;202002290010;    3; 2.5\n", columns: "QN|TT", rows: 3, last: "2020-02-29 00:10:00"},
	{name: "World Bank.csv", text: "\"Data Source\",\"Indicators\",\n\n\"Country Name\",\"Code\",\"1960\",\"1961\",\"1962\",\n\"A\",\"A1\",\"1.5\",\"2\",\"\",\n\"B\",\"B1\",\"{..|7.1}\",\"4\",\"\",\n", columns: "1960|1961", rows: 2},
	{name: "chosen.csv", text: "a,b,c,d\n1.5,2,x,3\n{|7.1},,y,4\n", columns: "a|d", rows: 2, o: dataset.SetOptions{Columns: "a,4"}},
	{name: "word of one's own.csv", text: "a,b\n1.5,2\n{below|7.1},3\n2.5,4\n", columns: "a|b", rows: 3, o: dataset.SetOptions{MissingWord: "below"}},
	{name: "total.csv", text: "shop,a,b\nP,1.5,2\nQ,{|7.1},3\nR,5,1\nS,5,1\nTotal,11.5,\n", columns: "a|b", rows: 4},
	{name: "sum and mean.csv", text: "date;a\n01.02.2020;1,5\n02.02.2020;{|7,1}\n03.02.2020;2,5\n13.02.2020;2\nSumme:;6,0\nMittelwert;2,0\n", columns: "a", rows: 4, last: "2020-02-13"},
	{name: "notes behind.csv", text: "name,a,b\nP,1.5,2\nQ,{|7.1},3\nR,2.5,4\n,,\nSource: the office,,\nUpdated: 2020-01-01,,\n", columns: "a|b", rows: 3},
	{name: "rows affected.csv", text: "a,b\n1.5,2\n{NULL|7.1},3\n2.5,4\n\n(3 rows affected)\n", columns: "a|b", rows: 3},
	{name: "total of a sensor.csv", text: "sensor,a,b\nP,1.5,2\nTotal,{|7.1},3\nP,2.5,4\nTotal,2.5,4\n", columns: "a|b", rows: 4},
	{name: "separator at the end.csv", text: "t,a,b\n0,1.5,2,\n1,{|7.1},3,\n2,2.5,4,\n", columns: "a|b", rows: 3, last: "2"},
	{name: "accounting.csv", text: "day,profit\n2020-01-01,\"(1,200.50)\"\n2020-01-02,{\"-\"|\"7.13\"}\n2020-01-03,\"2,500.00\"\n", columns: "profit", rows: 3, last: "2020-01-03"},
	{name: "year and week.csv", text: "year,week,a\n2020,52,1.5\n2020,53,{|7.1}\n2021,1,2.5\n", columns: "a", rows: 3, last: "2021-01-04"},
	{name: "year and day.csv", text: "year,doy,a\n2020,60,1.5\n2020,366,{|7.1}\n2021,1,2.5\n", columns: "a", rows: 3, last: "2021-01-01"},
	{name: "parts without names.txt", text: "2020 02 28 23   -5 1.5\n2020 02 29 00   12 {NaN|7.1}\n2020 02 29 02   -3 2.5\n", columns: "", rows: 3, last: "2020-02-29 02:00:00"},
	{name: "French.csv", text: "date;a\n28 févr. 2020;1,5\n29 févr. 2020;{|7,1}\n1 mars 2020;2,5\n", columns: "a", rows: 3, last: "2020-03-01"},
	{name: "German months.csv", text: "Monat;a\nFebruar 2020;1,5\nMärz 2020;{|7,1}\nMai 2020;2,5\n", columns: "a", rows: 3, last: "2020-05-01"},
	{name: "Eurostat.tsv", text: "geo\t2001 \t2002 \t2003 \nAT\t1.5 \t2.5 \t3.5 \nBE\t{:|7.1} \t2.5 \t3.5 \n", columns: "2001|2002|2003", rows: 2},
	{name: "flags.tsv", text: "geo\\time\t2001 \t2002 \t2003 \nAT\t1.5 p\t2.5 \t3.5 bp\nBE\t{: c|7.1} \t2.5 *\t-3.5 e\nCY\t1 234.5 e\t2.5* \t{:|7.1} \n", columns: "2001|2002|2003", rows: 3},
	{name: "with errors.csv", text: "sample,a,b\nP,1.5 ± 0.3,2\nQ,{|7.1},3±1\nR,5.1 +/- 1e-2,1\n", columns: "a|b", rows: 3},
	{name: "CTD.cnv", text: "* Sea-Bird SBE 9 Data File:\n* System UpLoad Time = Mar 01 2020 12:00:00\n# nquan = 3\n# name 0 = prDM: Pressure [db]\n# name 1 = t090C: Temperature [deg C]\n# name 2 = sal00: Salinity\n# bad_flag = -9.990e-29\n*END*\n      1.000    12.5125    35.1\n      2.000 {-9.990e-29|    7.1260}    35.2\n      3.000    11.1234 {-9.990e-29|       7.1}\n", columns: "prDM|t090C|sal00", rows: 3},
	{name: "fixed.txt", text: "      date  level  flow\n2020-01-01   12.5   3.1\n2020-01-02 {      |   7.1}   3.5\n2020-01-03    9.5 {     |  7.1}\n2020-01-04 {******|   7.1}   3.9\n", columns: "level|flow", rows: 4, last: "2020-01-04"},
	{name: "years across.tsv", text: "geo\\time\t2001 \t2002 \t2003 \t2004 \nAT\t1.0 \t2.0 \t3.0 \t4.0 \nBE\t2.0 \t{:|7.1} \t4.0 \t5.0 \nBG\t3.0 \t4.0 \t5.0 \t{: c|7.1}\n", columns: "2001|2002|2003|2004", rows: 3},
	{name: "years of whole numbers.csv", text: "name,2001,2002,2003,2004\na,1,2,3,4\nb,2,{|7},4,5\nc,5,3,8,9\n", columns: "2001|2002|2003|2004", rows: 3},
	{name: "units.txt", text: "day;level;flow\n1;5 cm;2.50 m³/s\n2;{k. A.|7 cm};3.50 m³/s\n3;9 cm;{...|7.13 m³/s}\n", columns: "level|flow", rows: 3, last: "3"},
	{name: "money.csv", text: "day;paid;flow\n01.02.2020;CHF 1’450.20;2.50\n02.02.2020;{k. A.|CHF 7.13};3.50\n03.02.2020;CHF 12.20;{...|7.13}\n", columns: "paid|flow", rows: 3, last: "2020-02-03"},
	{name: "exponents.csv", text: "day;a;b\n2020-01-01;1,25E+03;=\"1,5\"\n2020-01-02;{|7,13E+00};=\"2,5\"\n2020-01-03;1,75E+03;{-|=\"7,1\"}\n", columns: "a|b", rows: 3, last: "2020-01-03"},
	{name: "minus behind.csv", text: "Datum;Temp\nlun. 01/02/2020 12h30;1,5-\nmar. 02/02/2020 12h30;{|7,1}\nmié. 23/02/2020 01h30;2,5\n", columns: "Temp", rows: 3, last: "2020-02-23 01:30:00"},
	{name: "years and days.csv", text: "day,level,flow\n2020年1月1日,1.500,100.125\n2020年1月2日,{|7.126},120.250\n2020年1月13日,2.500,130.500\n", columns: "level|flow", rows: 3, last: "2020-01-13"},
	{name: "rules.txt", text: " day        | a   | b\n------------+-----+----\n 2020-01-01 | 1.5 | 2\n 2020-01-02 | {NULL| 7.1} | 3\n 2020-01-03 | {---|7.1} | 4\n(3 rows)\n", columns: "a|b", rows: 3, last: "2020-01-03"},
	{name: "media.csv", text: "kind,a,b\npress,1.5,2\nshops,{|7.1},3\nbanks,2.5,4\nfood,5.5,7\nmedia,3.5,1\n", columns: "a|b", rows: 5},
	{name: "axis.csv", text: "dose,a\n" + steps(11, "%d0,%d.5\n") + "120,{|7.1}\n", columns: "a", rows: 12, last: "120"},
	{name: "sorted.csv", text: "size,a\n" + steps(11, "%d0,%d.5\n") + "121,{|7.1}\n", columns: "size|a", rows: 12},
	{name: "milliseconds.csv", text: "when,a\n" + steps(11, "16094592%02d123,%d.5\n") + "1609459299999,{|7.1}\n", columns: "a", rows: 12, last: "1.609459299999e+12"},
	{name: "numbers of customers.csv", text: "customer,a\n7,1.5\n5,{|7.1}\n7,2.5\n", columns: "a", rows: 3},
	{name: "shuffled.csv", text: "ref,a\n17,1\n12,2.5\n13,3\n20,4\n14,5\n11,{|7.1}\n15,2\n16,3\n18,1\n19,2\n", columns: "a", rows: 10},
	{name: "ranks.csv", text: "rank,a\n7,1\n2,2.5\n3,3\n10,4\n4,5\n1,{|7.1}\n5,2\n6,3\n8,1\n9,2\n", columns: "rank|a", rows: 10},
	{name: "order at the end.csv", text: "a,order no\n" + steps(11, "%[2]d.5,5%02[1]d\n") + "{|7.1},599\n", columns: "a", rows: 12},
	{name: "from and to.csv", text: "from,to,a\n202001010000,202001010030,1.5\n202001010030,202001010100,{|7.1}\n202001010100,202001010130,2.5\n", columns: "a", rows: 3, last: "2020-01-01 01:00:00"},
	{name: "two columns of words.csv", text: "site,city,lat,item,utc,local,value\n" + places + "A,X,1,t,2020-01-02T00:00Z,2020-01-02T01:00,{|7}\nA,X,1,p,2020-01-02T00:00Z,2020-01-02T01:00,3\n" +
		"B,X,2,t,2020-01-02T00:00Z,2020-01-02T01:00,4\nB,X,2,p,2020-01-02T00:00Z,2020-01-02T01:00,5\n", columns: "A t|A p|B t|B p", rows: 2, last: "2020-01-02"},
	{name: "day first.csv", text: "d,x\n01/02/2020,1.5\n02/02/2020,{|7.1}\n03/02/2020,2.5\n", columns: "x", rows: 3, last: "2020-02-03", o: dataset.SetOptions{TimeFormat: "%d/%m/%Y", TimeColumn: "d"}},
}

// dateText writes a time as a test names it.
func dateText(s *dataset.Set, t float64) string {
	if s.Units != nil {
		return s.Units.Date(t)
	}
	return fmt.Sprint(t)
}

// filledWith fills all gaps of a set with one number.
func filledWith(t *testing.T, s *dataset.Set, v float64) *dataset.Filled {
	t.Helper()
	_, points := s.Data(1 << 20)
	n := s.Count * len(points) * s.Channels
	r, err := s.Fill(points, slices.Repeat([]float64{v}, n), slices.Repeat([]float64{0.0625}, n), false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Tables of all kinds are read without a word of help, and come back as they were but for the gaps, which have as many digits as others of their column; in UTF-16 and behind
// a byte order mark likewise. A table of standard errors has the same form.
func TestTablesAsTheyAre(t *testing.T) {
	for _, c := range textCases {
		for name, encode := range map[string]func(string) string{
			"":         func(s string) string { return s },
			"mark ":    func(s string) string { return "\uFEFF" + s },
			"UTF-16 ":  func(s string) string { return utf16Text("\uFEFF"+s, false) },
			"UTF-16B ": func(s string) string { return utf16Text(s, true) },
		} {
			text, want := gap.ReplaceAllString(c.text, "$1"), gap.ReplaceAllString(c.text, "$2")
			if strings.HasSuffix(text, "\n\n") { // of a row that is not there
				text = text[:len(text)-1]
			}
			path := saveText(t, c.name, encode(text))
			s, err := dataset.LoadSet(path, c.o)
			if err != nil {
				t.Errorf("%s%s: %v", name, c.name, err)
				continue
			}
			if columns := strings.Join(s.Columns, "|"); c.columns != "" && columns != c.columns || s.Count != c.rows {
				t.Errorf("%s%s: %d rows of %s", name, c.name, s.Count, columns)
			}
			if missing, _ := s.Missing(); missing != len(gap.FindAllString(c.text, -1)) {
				t.Errorf("%s%s: %d values are missing", name, c.name, missing)
			}
			last := ""
			if s.Times != nil {
				last = dateText(s, s.Times[s.Count-1])
			}
			if last != c.last {
				t.Errorf("%s%s: the last time is %s, want %s", name, c.name, last, c.last)
			}
			r := filledWith(t, s, 7.126)
			var got bytes.Buffer
			if err := s.Write(&got, "out"+filepath.Ext(c.name), r); err != nil || got.String() != encode(want) {
				t.Errorf("%s%s: result (%v)\n%q\nwant\n%q", name, c.name, err, got.String(), encode(want))
			}
			beside := saveTextOf(t, c.name, func(w io.Writer) error { return s.WriteErrors(w, r) })
			e, err := dataset.LoadSet(beside, c.o)
			if err != nil || e.Count != s.Count || len(e.Values) != len(s.Values) {
				t.Errorf("%s%s: standard errors: %v", name, c.name, err)
				continue
			}
			for i, v := range s.Values {
				if is := e.Values[i]; v == v && is != 0 || v != v && is != 0.25 {
					t.Errorf("%s%s: the standard error of value %d is %v", name, c.name, i, is)
				}
			}
		}
	}
}

// utf16Text encodes a text.
func utf16Text(s string, big bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// saveTextOf saves what a function writes.
func saveTextOf(t *testing.T, name string, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return saveText(t, name, b.String())
}

// Dates of every form are those that package time reads, and so are times in zones.
func TestDateFormats(t *testing.T) {
	first := time.Date(2019, 12, 28, 21, 30, 0, 0, time.UTC)
	for _, layout := range []string{"2006-01-02", "2006/01/02", "2006.01.02", "20060102", "02.01.2006", "02/01/2006", "01/02/2006", "1/2/2006", "2.1.2006", "02-01-2006", "02.01.06", "01/02/06",
		"02-Jan-2006", "2 Jan 2006", "02 January 2006", "Jan 2, 2006", "January 2 2006", "Jan-2-2006", "02Jan2006", "02-Jan-06", "Mon, 02 Jan 2006", "2006-Jan-02", "2006-002", "2006002",
		"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05-07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST",
		"02.01.2006 15:04", "1/2/2006 3:04 PM", "01/02/2006 03:04:05 pm", "20060102T150405", "20060102 1504", "02/Jan/2006:15:04:05 -0700", "Mon Jan 2 15:04:05 2006", "Mon, 02 Jan 2006 15:04:05 MST"} {
		var text strings.Builder
		text.WriteString("when;x\n")
		zone := time.UTC
		if strings.Contains(layout, "-07") {
			zone = time.FixedZone("", 7200)
		} else if strings.Contains(layout, "MST") {
			zone = time.FixedZone("CET", 3600)
		}
		var want []float64
		for k := range 80 {
			at := first.Add(time.Duration(k) * 26 * time.Hour).In(zone) // over 29 February
			s := at.Format(layout)
			fmt.Fprintf(&text, "%s;%d\n", s, k)
			read, err := time.ParseInLocation(layout, s, zone)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, float64(read.Unix())/86400)
		}
		if len(slices.Compact(slices.Clone(want))) < len(want) { // a day twice
			t.Fatalf("%s: a day comes twice", layout)
		}
		s, err := dataset.LoadSet(saveText(t, "t.csv", text.String()), dataset.SetOptions{})
		if err != nil || !slices.EqualFunc(s.Times, want, func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }) {
			t.Errorf("%s: %v", layout, err)
		}
	}
}

// What cannot be told is asked for, and what cannot be is refused, with what helps.
func TestDatesRefused(t *testing.T) {
	for _, c := range []struct {
		text, err string
		o         dataset.SetOptions
	}{
		{text: "d,x\n03/04/2020,1\n05/06/2020,2\n", err: `column "d": found "03/04/2020", which may be 2020-04-03 or 2020-03-04, expected -time-format %d/%m/%Y or -time-format %m/%d/%Y`},
		{text: "d,x\n2021-02-27,1\n2021-02-28,2\n2021-02-29,3\n", err: `line 4, column "d": found "2021-02-29", expected a date of the form %Y-%m-%d (-time-column none takes no column as the time, sed 4d leaves the line out)`},
		{text: "d,x\n2021-02-27,1\n2021-02-28,2\n,3\n", err: `line 4, column "d": found "", expected a date of the form %Y-%m-%d (-time-column none takes no column as the time, sed 4d leaves the line out)`},
		{text: "d,x\n2021-02-27,1\n2021-02-28,2\n2021-02-28,3\n", err: `lines 3 and 4: found the same time twice, expected each once (sed 4d leaves the second out), or a column that tells such rows apart; -time-column none takes no column as the time`},
		{text: "d,x\n2021-02-27,1\n2021-02-28,2\n", o: dataset.SetOptions{TimeFormat: "%d.%m.%Y"}, err: `line 2, column "d": found "2021-02-27", expected a date of the form %d.%m.%Y (-time-column none takes no column as the time, sed 2d leaves the line out)`},
		{text: "d,x\n1,1\n2,2\n", o: dataset.SetOptions{TimeColumn: "when"}, err: `found no column "when", expected one of "d", "x", or a number from 1 to 2, or a range such as 2-3`},
		{text: "d,x\n1,a\n2,b\n", o: dataset.SetOptions{Columns: "x"}, err: `column "x": found "a", expected a column of numbers`},
	} {
		path := saveText(t, "t.csv", c.text)
		_, err := dataset.LoadSet(path, c.o)
		checkError(t, err, filepath.Dir(path), "t.csv: "+c.err)
	}
}

// A long table with a line too many is refused by its lines, whatever the order of rows and the names of columns.
func TestNearlyLongTables(t *testing.T) {
	rows := "d1,P,1\nd1,Q,2\nd2,P,3\nd2,Q,4\nd3,P,5\nd3,Q,6\nd4,P,\nd4,Q,8\nd5,P,9\nd5,Q,1\n"
	blocks := "d1,P,1\nd2,P,3\nd3,P,5\nd4,P,\nd5,P,9\nd1,Q,2\nd2,Q,4\nd3,Q,6\nd4,Q,8\nd5,Q,1\n"
	date := strings.NewReplacer("d", "2020-01-0")
	twice := `lines 6 and 12: found two rows of the same example and point, expected one (sed 12d leaves the second out; -time-column none takes each row for an example)`
	for _, c := range []struct{ text, err string }{
		{"time,station,value\n" + date.Replace(rows+"d3,P,5\n"), twice},
		{"Tag,Ort,Wert\n" + date.Replace(rows+"d3,P,5\n"), twice},
		{"Tag,Ort,Wert\n" + date.Replace(blocks+"d5,P,9\n"), twice},
		{"subject,test,value\n" + strings.NewReplacer("d", "s").Replace(rows+"d3,P,5\n"), twice},
		{"year,country,gdp\n" + strings.NewReplacer("d", "200").Replace(rows+"d3,P,5\n"), twice},
		{"day,no,gdp\n" + strings.NewReplacer("d", "", "P", "44", "Q", "46").Replace(rows+"d3,P,5\n"), twice},
		{"time,station,value\n" + date.Replace(rows+"d6,,5\n"), `line 12, column "station": found "", expected a name, as in other rows`},
	} {
		path := saveText(t, "t.csv", c.text)
		_, err := dataset.LoadSet(path, dataset.SetOptions{})
		checkError(t, err, filepath.Dir(path), "t.csv: "+c.err)
	}
	// Stations that are never seen at once get no row beside each other.
	text := "time,station,value\n0,P,1\n1,Q,2\n2,P,\n3,Q,4\n4,P,5\n5,Q,6\n"
	s := loadSet(t, saveText(t, "t.csv", text), dataset.SetOptions{})
	var got bytes.Buffer
	if err := s.Write(&got, "out.csv", filledWith(t, s, 7)); err != nil || got.String() != strings.Replace(text, "2,P,", "2,P,7", 1) {
		t.Errorf("result (%v)\n%s", err, got.String())
	}
}

// Columns that have a time's or a coordinate's name and hold something else are values: durations in no order, some missing; counts of days beside words; y without x. Codes of
// places are none, though most are numbers, and dates of which each has many rows are no times of a series.
func TestNamesOfValues(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns []string
		times   int
	}{
		{"dist,climb,time\n2.5,650,16.1\n6,2500,48.4\n6,900,\n7.5,800,45.6\n8,3070,62.3\n", []string{"dist", "climb", "time"}, 0},
		{"Eth,Sex,Days\nA,M,2\nA,M,11\nN,F,\nA,M,5\nN,F,5\n", []string{"Days"}, 0},
		{"year,day,limit,y\n1961,1,no,9\n1961,2,no,\n1961,3,yes,9\n1962,1,no,20\n", []string{"year", "day", "y"}, 0},
		{"mag,station,dist\n7,117,12\n7.4,c168,148\n7,1095,42\n7.4,283,\n5,135,107\n", []string{"mag", "dist"}, 0},
		{"date,speed,age\n" + strings.Repeat("2017-01-01,44.9,\n2017-01-01,44.8,31\n2017-01-01,44.7,25\n2017-01-02,44.8,40\n", 3), []string{"speed", "age"}, 0},
		{"time,level\n1,4\n2,5\n3,\n4,7\n", []string{"level"}, 4},
	} {
		s := loadSet(t, saveText(t, "t.csv", c.text), dataset.SetOptions{})
		if !slices.Equal(s.Columns, c.columns) || len(s.Times) != c.times {
			t.Errorf("%q has columns %q and %d times", c.text, s.Columns, len(s.Times))
		}
	}
}

// A last row is one of totals without a name where its numbers are the sums, or the means, of those above to the last digit.
func TestTotalsByNumbers(t *testing.T) {
	text := "a,b\n1.125,5.250\n,6.125\n3.375,1.250\n4.250,2.375\n"
	for last, rows := range map[string]int{"8.750,15.000\n": 4, "2.917,3.750\n": 4, "8.750,15.010\n": 5, "2.927,3.750\n": 5, "2.917,15.000\n": 5, ",3.750\n": 5} {
		s := loadSet(t, saveText(t, "t.csv", text+last), dataset.SetOptions{})
		var got bytes.Buffer
		if err := s.Write(&got, "out.csv", filledWith(t, s, 7)); err != nil || s.Count != rows || rows == 4 && got.String() != strings.Replace(text, "\n,", "\n7.000,", 1)+last {
			t.Errorf("%s: %d rows (%v)\n%s", last, s.Count, err, got.String())
		}
	}
}

// A last row with a name that other rows may have, too, is one of totals where its numbers are; one with the name of totals alone is told to be taken by it.
func TestTotalsByName(t *testing.T) {
	for last, note := range map[string]string{"all,9.5,16": "line 6 has totals or means of the rows above: kept as it is", "media,3.5,1": "", "Total,3.5,1": `line 6 is taken for totals by its name, "total": kept as it is`} {
		s := loadSet(t, saveText(t, "t.csv", "kind,a,b\npress,1.5,2\nshops,,3\nbanks,2.5,4\nfood,5.5,7\n"+last+"\n"), dataset.SetOptions{})
		rows, told := 5, strings.Contains(strings.Join(s.Notes, "\n"), "totals")
		if note != "" {
			rows = 4
		}
		if s.Count != rows || told != (note != "") || note != "" && s.Notes[0] != note {
			t.Errorf("%s: %d rows, notes %q", last, s.Count, s.Notes)
		}
	}
}

// Filled-in numbers have the signs between thousands of their column, no sign that none of it has, and the levels of whole numbers that are few.
func TestFilledForm(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{{1234567.8, "1.234.568|1234567,8|5|1234568"}, {-1234, "0|-1234,0|1|0"}, {12, "12|12,0|5|12"}, {1e3, "1.000|1000,0|5|1000"}} {
		text := "a;b;level;count\n" + strings.Repeat("1.234.567;-1,5;1;100\n2.345;2,5;5;2\n", 12) + ";;;\n5;6;2;7"
		s := loadSet(t, saveText(t, "t.csv", text), dataset.SetOptions{})
		var got bytes.Buffer
		want := strings.Replace(text, ";;;", strings.ReplaceAll(c.want, "|", ";"), 1)
		if err := s.Write(&got, "out.csv", filledWith(t, s, c.v)); err != nil || got.String() != want {
			t.Errorf("%v (%v):\n%s", c.v, err, got.String())
		}
	}
}

// Words that explain values are channels for a model to learn from, one for two levels; no result has them, nothing of them counts as missing, and words that explain nothing or
// are rare are left alone.
func TestLevels(t *testing.T) {
	var text strings.Builder
	text.WriteString("sex,kind,useless,rare,x,y\n")
	for i := range 60 {
		x := fmt.Sprint(i%7 + 10*(i%3))
		if i == 9 {
			x = ""
		}
		fmt.Fprintf(&text, "%s,%s,%s,%s,%s,%d\n", []string{"f", "m"}[i%2], []string{"a", "b", "c"}[i%3], []string{"u", "v"}[i/2%2], []string{"r", "s"}[min(1, i)], x, i%5+9*(i%2))
	}
	path := saveText(t, "t.csv", text.String())
	s := loadSet(t, path, dataset.SetOptions{Levels: true})
	if got := strings.Join(s.Columns, "|"); got != "x|y|sex = f|kind = a|kind = b|kind = c" || s.Levels != 4 {
		t.Errorf("columns %s, %d levels", got, s.Levels)
	}
	if missing, of := s.Missing(); missing != 1 || of != 120 || !equal(s.Values[6:12], []float64{11, 10, 0, 0, 1, 0}) {
		t.Errorf("%d of %d are missing, second row %v", missing, of, s.Values[6:12])
	}
	var got bytes.Buffer
	if err := s.Write(&got, "out.csv", filledWith(t, s, 7)); err != nil || got.String() != strings.Replace(text.String(), "u,s,,", "u,s,7,", 1) {
		t.Errorf("result (%v)\n%s", err, got.String())
	}
	if s := loadSet(t, path, dataset.SetOptions{}); s.Channels != 2 {
		t.Errorf("%d channels", s.Channels)
	}
}

// Standard errors that are one number throughout, which a column of a table is carried through for, are those of all columns.
func TestConstantErrors(t *testing.T) {
	data, errors := "id,a,b\n", "id,a,b\n"
	for i := range 12 {
		data += fmt.Sprintf("%d,%d,%d\n", i, i*i, i*i*i)
		errors += fmt.Sprintf("%d,0.5,0.25\n", i)
	}
	s := loadSet(t, saveText(t, "t.csv", data), dataset.SetOptions{Errors: saveText(t, "e.csv", errors)})
	if !equal(s.Errors[:4], []float64{0.5, 0.25, 0.5, 0.25}) {
		t.Errorf("%v", s.Errors[:4])
	}
}

// Messages of the model name lines and columns of a table of text, wide or long, and leave those on other data alone.
func TestInWords(t *testing.T) {
	message := "-9 of example 1, point 0, channel 1, the first is example 2; channel 0: all"
	for _, c := range []struct{ text, want string }{
		{"# made\nname,a,b\nx,1,2\n# or\ny,3,4\nz,5,6.5\n", `-9 in line 5, column "b", the first is line 6; column "a": all`},
		{"1,2\n3,4\n5,6.5\n", `-9 in line 2, column 2, the first is line 3; column 1: all`},
		{"time,site,value\n0,P,1\n1,P,2\n2,P,3\n0,Q,4\n2,Q,5\n1,Q,6\n", `-9 in line 7, column "Q", the first is line 4; column "P": all`},
	} {
		s := loadSet(t, saveText(t, "t.csv", c.text), dataset.SetOptions{})
		if got := s.InWords(message); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	if s := loadSet(t, "testdata/maps.npz", dataset.SetOptions{}); s.InWords(message) != message {
		t.Error("a message on maps is another one")
	}
}

// A local clock that goes back in autumn and on in spring gives even times, whichever comes first; times with a zone are as they are; dates that say nothing of an order are passed over.
func TestDaylightSaving(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		from  time.Time
		hours int
	}{
		{time.Date(2021, 10, 30, 0, 0, 0, 0, zone), 72}, {time.Date(2021, 3, 1, 0, 0, 0, 0, zone), 300 * 24}, {time.Date(2020, 10, 1, 0, 0, 0, 0, zone), 400 * 24},
	} {
		var local, zoned strings.Builder
		local.WriteString("time,x\n")
		zoned.WriteString("time,x\n")
		for k := range c.hours {
			at := c.from.Add(time.Duration(k) * time.Hour)
			fmt.Fprintf(&local, "%s,%d\n", at.Format("2006-01-02 15:04"), k)
			fmt.Fprintf(&zoned, "%s,%d\n", at.Format("2006-01-02 15:04 -07:00"), k)
		}
		for _, text := range []string{local.String(), zoned.String()} {
			s, err := dataset.LoadSet(saveText(t, "t.csv", text), dataset.SetOptions{})
			if err != nil {
				t.Error(err)
				continue
			}
			for i := 1; i < s.Count; i++ {
				if step := 24 * (s.Times[i] - s.Times[i-1]); step < 0.999 || step > 1.001 {
					t.Errorf("from %v: a step of %v hours before row %d", c.from, step, i)
				}
			}
		}
	}
	s := loadSet(t, saveText(t, "t.csv", "name,born,height\nA,1990-05-01,1.8\nB,1980-01-01,1.7\nC,1990-05-01,1.6\n"), dataset.SetOptions{})
	if s.Times != nil || s.Channels != 1 {
		t.Errorf("times %v", s.Times)
	}
}

// A table of a million columns, a line of many million bytes and quotes without end cost no more than some times their bytes, and are refused in a line.
func TestHugeTables(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	path := filepath.Join(t.TempDir(), "huge.csv")
	for _, c := range []struct{ text, err string }{
		{strings.Repeat("1,", 1000000) + "1\n" + strings.Repeat("2,", 1000000) + "2\n", "shape 2×1000001: found a table of 1000001 columns, expected 1 to 65536"},
		{strings.Repeat("a,", 1000000) + "a\n" + strings.Repeat("2,", 1000000) + "2\n", "shape 1×1000001: found a table of 1000001 columns, expected 1 to 65536"},
		{strings.Repeat("x", 3000000) + ",1\n", "found no row, expected rows of numbers below the names of the columns"},
		{"a,b\n" + strings.Repeat("\"", 1000001), "line 2: found a quote that is never closed, expected quotes in pairs (two of them, \"\", stand for one within quotes)"},
		{strings.Repeat("#", 1000001), "found no row, expected rows of numbers, separated by commas, semicolons, tabs or blanks"},
		{strings.Repeat("1 ", 70000) + "\n" + strings.Repeat("x ", 70000) + "\n", "line 2, column 1: found \"x\", expected a number: no column has numbers"},
	} {
		if tryFile(t, path, []byte(c.text)) {
			t.Errorf("%.10q is read", c.text)
		}
		_, err := dataset.LoadSet(path, dataset.SetOptions{})
		checkError(t, err, filepath.Dir(path), "huge.csv: "+c.err)
	}
	wide := strings.Repeat("1,", 999999) + "2\n" + strings.Repeat("2,", 999999) + "1\n" // pictures, one in a row
	if err := os.WriteFile(path, []byte(wide), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := loadSet(t, path, dataset.SetOptions{Layout: dataset.Layout{Width: 1000, Height: 1000}}); s.Count != 2 || s.Values[999999] != 2 {
		t.Errorf("%d pictures", s.Count)
	}
}
